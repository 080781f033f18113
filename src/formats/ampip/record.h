// One record of an A-mpiP trace: a call of MPI that has ended. Two spellings, docs/formats/ampip.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace orrery::ampip {

enum class Partner : std::uint8_t { none, communicator, rank };

struct Record {
  std::int64_t from = -1;  ///< callsite of the call before; -1: the spelling does not say
  std::int64_t callsite = 0;
  TimePs delta_ps = 0;          ///< since the call before ended; it contains the call itself
  bool delta_is_usable = true;  ///< false: it does not fit, as the first of a trace may not
  std::string_view function;
  Partner partner = Partner::none;
  std::uint64_t handle = 0;                               ///< of the communicator
  std::int64_t bytes = -1;                                ///< sent; -1: not recorded
  std::vector<std::int64_t> members;                      ///< of the communicator
  std::vector<std::int64_t> send_counts, receive_counts;  ///< elements per member; empty: not recorded
  std::int64_t place = -1, rank = -1;  ///< of a message: its destination in its communicator, and in the world
  std::string_view region;             ///< that the program named
};

/// "TRACE 9 -> 10 4528.7 MPI_Alltoallv coll 0xfffff7850c18 0 to 0>1<1 1>2<2". `line` is without its end. Returns null,
/// or where it is wrong. The lists of `out` are reused.
const char* parse_text_record(std::string_view line, Record& out);

/// "15,MPI_Isend,203.447000,64,1,1,region"
const char* parse_csv_record(std::string_view line, Record& out);

inline constexpr std::string_view kTextStart = "TRACE ";
inline constexpr std::string_view kCsvHeader = "callsite,op,dur_us,sendSize_B,dest_group,dest_global,region";

}  // namespace orrery::ampip

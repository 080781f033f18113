// One line of a liballprof trace: a call of MPI with its arguments in the order of its C prototype.
//
//   MPI_Send:1237666053149864:11251872:4500:11,8,8:1:7000:0,0,4:1237666053150082
//
// that is the function, its start, buffer, count, datatype (id, size, extent), destination, tag, communicator (handle,
// own rank, size), and its end; times in microseconds. Arrays of counts are an address and then the counts:
// :140735182514476:1,2,3,4. There is no clock before MPI_Init and after MPI_Finalize, so that a complete trace begins
// with MPI_Init:-:...:1237666053000000 and ends with MPI_Finalize:1237666058000000:- (liballprof2 writes 0.00 for
// these, and a backtrace behind each call, "  # backtrace [...]").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::liballprof {

struct Communicator {
  std::uint64_t handle = 0;
  std::int64_t rank = 0, size = 0;
};

struct CallLine {
  std::string_view function;
  std::optional<std::int64_t> start_us,
      end_us;                  ///< none where there is no clock: before MPI_Init has returned, and after MPI_Finalize
  bool arguments_fit = false;  ///< false: nothing below is set

  std::optional<std::int64_t> count, receive_count, type_bytes, receive_type_bytes, destination, source, tag,
      receive_tag, root;
  std::optional<std::uint64_t> request;  ///< address of the request, or of the first of an array
  std::optional<std::int64_t> requests;  ///< how many
  std::optional<Communicator> communicator;
  std::vector<std::int64_t> send_counts, receive_counts;
};

/// Null, or where the line is wrong. Fractions of microseconds are dropped. `line` is without its end.
const char* parse_call_line(std::string_view line, CallLine& out);

}  // namespace orrery::liballprof

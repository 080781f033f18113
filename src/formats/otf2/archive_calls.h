// What an OTF2 archive says, in plain values: processes, communicators, and calls of MPI with what their records tell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace orrery::otf2 {

/// A call of MPI. What its records do not say is absent.
struct Call {
  std::uint32_t function = 0;  ///< number of its region
  TimePs start = 0, end = 0;
  std::uint64_t position = 0;  ///< of its first record in its file
  std::optional<std::uint32_t> communicator = {};
  std::optional<std::uint32_t> destination = {}, source = {};  ///< by their places in the communicator
  std::optional<std::int64_t> tag = {}, receive_tag = {};
  std::optional<std::uint64_t> bytes = {}, receive_bytes = {};
  std::optional<std::uint32_t> root = {};
  std::optional<std::int64_t> request = {};
  std::vector<std::int64_t> completed = {};  ///< requests
  bool is_cancelled = false;
};

struct Process {
  std::string name;                      ///< "MPI Rank 3"
  std::vector<std::uint64_t> locations;  ///< its threads
  std::vector<Call> calls;               ///< in the order in which they ended
};

struct Archive {
  std::optional<std::int64_t> begin_unix_ns;  ///< when the first moment of it was; none: not recorded
  std::map<std::uint32_t, std::string> functions;
  std::vector<Process> processes;  ///< by their numbers in the archive
  /// Members in order, as places in `processes`; absent: not defined.
  std::map<std::uint32_t, std::vector<std::size_t>> communicators;
  std::size_t open_calls = 0, stray_records = 0;
};

}  // namespace orrery::otf2

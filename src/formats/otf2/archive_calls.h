// What an OTF2 archive says, in plain values: processes, communicators, calls of MPI with what their records tell,
// regions of the program, and metrics.
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

/// What is not MPI's: a function, a loop, or what else was marked.
struct Region {
  std::uint32_t region = 0;  ///< its number
  std::uint32_t thread = 0;  ///< place in Process::locations
  TimePs start = 0, end = 0;
  std::uint64_t position = 0;
};

struct RegionKind {
  std::string name;
  bool is_of_user = false;      ///< marked by hand; else by a compiler or a library
  bool is_of_recorder = false;  ///< what recording itself took
};

struct Metric {
  std::string name, unit;
};

struct Sample {
  std::uint32_t metric = 0;  ///< number of its member in Archive::metrics
  TimePs time = 0;
  double value = 0;  ///< in its unit
};

struct Process {
  std::string name;                      ///< "MPI Rank 3"
  std::vector<std::uint64_t> locations;  ///< its threads
  std::vector<Call> calls;               ///< in the order in which they ended
  std::vector<Region> regions;           ///< thread by thread, as they ended
  std::vector<Sample> samples;           ///< by time
};

struct Archive {
  std::optional<std::int64_t> begin_unix_ns;       ///< when the first moment of it was; none: not recorded
  std::map<std::uint32_t, std::string> functions;  ///< of MPI
  std::map<std::uint32_t, RegionKind> regions;     ///< all others
  std::map<std::uint32_t, Metric> metrics;
  std::vector<Process> processes;  ///< by their numbers in the archive
  /// Members in order, as places in `processes`; absent: not defined.
  std::map<std::uint32_t, std::vector<std::size_t>> communicators;
  std::size_t open_calls = 0, stray_records = 0;
};

}  // namespace orrery::otf2

// What is known about the clocks of several nodes: differences between two of them, and events that all of them saw.
//
// Times are nanoseconds since the job's epoch in double: an hour is resolved to less than a picosecond's thousandth
// part of a microsecond, and nothing here is known better than to some nanoseconds. Only the maps that come out are
// exact integers (trace::Clock).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::align {

/// At the moment when the clock of `from` showed `at_ns`, that of `to` showed `difference_ns` more, give or take
/// `sigma_ns`.
struct PairObservation {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double at_ns = 0;
  double difference_ns = 0;
  double sigma_ns = 1;
};

/// The clock of `node` showed `reading_ns` when it saw shared event number `event`: the end of a collective. Nodes see
/// such an event at nearly the same moment.
struct EventObservation {
  std::uint32_t node = 0;
  std::uint32_t event = 0;
  double reading_ns = 0;
};

struct Observations {
  std::size_t nodes = 0;
  std::size_t events = 0;  ///< number of shared events
  std::vector<PairObservation> pairs;
  double least_pair_scale = 1e-3;  ///< how much smaller than their sigma the errors of pairs may turn out to be
  std::span<const EventObservation> sightings;  ///< of shared events, by event and node, each once; not owned
};

}  // namespace orrery::align

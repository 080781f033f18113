// One experiment: a world, what is measured in it, what happens to the files, and how well the alignment did.
#pragma once

#include <cstdint>
#include <string_view>

#include "align/world/measurements.h"

namespace orrery::align::test {

/// What the alignment has to go by.
enum class Known : std::uint8_t {
  probes,
  windows,
  offsets,  ///< with snapshot pairs: collectives are recorded by a device clock
  collectives,
  joint,  ///< probes between some nodes only; the rest is reached by collectives
};
inline constexpr Known kAllKnown[] = {Known::probes, Known::windows, Known::offsets, Known::collectives, Known::joint};
std::string_view to_string(Known known);

struct Scenario {
  Known known = Known::collectives;
  WorldOptions world = {};
  ProbeTraffic traffic = {};
  WindowQuality windows = {};
  OffsetQuality offsets = {};
  double held_up_snapshots = 0.02;
  // To the rows of all files:
  double dropped = 0, duplicated = 0;
  bool shuffled = false;
  Spelling spelling = {};
};

struct Outcome {
  World world;
  Alignment alignment;
  Score before, after;
  Score device;  ///< of the device clock; no moments without one
  std::size_t misordered =
      0;  ///< events that changed places with one on their lane, or came out of the event around them
  Diagnostics diagnostics = {};
};

/// Deterministic in the seed. An Error is what reading or aligning said.
Result<Outcome> run(const Scenario& scenario, std::uint64_t seed);

/// Steps of clocks that were set and those that the alignment reports, node by node: how many there were, how many of
/// them were found (within 60 ms and a fifth, or 10 us, of the jump), and how many were invented.
struct StepCount {
  std::size_t true_steps = 0, found = 0, invented = 0;
};
StepCount count_steps(const World& world, const Alignment& alignment);

}  // namespace orrery::align::test

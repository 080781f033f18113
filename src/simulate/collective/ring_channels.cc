// Several rings at once over the nodes of a machine, as NCCL's channels: with one ring, all that leaves a node would
// leave through one port.
#include <algorithm>

#include "simulate/collective/dimension_levels.h"
#include "simulate/collective/schedules.h"

namespace orrery::simulate {

Phases ring_channels(const Draft& draft, workload::Collective collective, std::span<const std::uint32_t> ranks,
                     std::size_t root, bool both_ways) {
  const Channels channels = channels_over_places(ranks, draft.weights.network());
  const std::size_t place = channels.ranks_per_place;
  GroupFamily rings{.ranks = {}, .group_size = ranks.size()};
  rings.ranks.reserve(channels.count * ranks.size());
  for (std::size_t channel = 0; channel < channels.count; ++channel) {
    const std::size_t entry = channels.entry(channel);
    for (std::size_t i = 0; i < ranks.size(); ++i) rings.ranks.push_back(ranks[i - i % place + (entry + i) % place]);
    if (!workload::is_rooted(collective)) continue;
    const auto ring = rings.ranks.end() - static_cast<std::ptrdiff_t>(ranks.size());
    std::rotate(ring, std::find(ring, rings.ranks.end(), ranks[root]), rings.ranks.end());
  }
  Phases phases = ring_phases(draft, collective, rings, both_ways);
  for (PlanPhase& phase : phases) {
    phase.bytes_per_byte /= static_cast<double>(channels.count);
    phase.seconds_per_byte /= static_cast<double>(channels.count);
  }
  return phases;
}

}  // namespace orrery::simulate

// Several rings at once over the nodes of a machine, as NCCL's channels: with one ring, all that leaves a node would leave through one port.
#include <algorithm>

#include "simulate/collective/dimension_levels.h"
#include "simulate/collective/schedules.h"

namespace orrery::simulate {

namespace {

constexpr std::size_t kMaxTransfers = std::size_t{1} << 20;

/// Ranks in one place of the outermost dimension in which the group extends; 1 if there are no such places.
std::size_t ranks_per_place(std::span<const std::uint32_t> ranks, const machine::Network& network) {
  const auto levels = dimension_levels(ranks, network);
  return levels ? ranks.size() / levels->back() : 1;
}

}  // namespace

Phases ring_channels(const Draft& draft, graph::Collective collective, std::span<const std::uint32_t> ranks, std::size_t root,
                     bool both_ways) {
  const std::size_t place = ranks_per_place(ranks, draft.weights.network());
  const std::size_t channels = std::clamp<std::size_t>(kMaxTransfers / ranks.size(), 1, place);
  GroupFamily rings{.ranks = {}, .group_size = ranks.size()};
  rings.ranks.reserve(channels * ranks.size());
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::size_t entry = channel * place / channels;
    for (std::size_t i = 0; i < ranks.size(); ++i) rings.ranks.push_back(ranks[i - i % place + (entry + i) % place]);
    if (!is_rooted(collective)) continue;
    const auto ring = rings.ranks.end() - static_cast<std::ptrdiff_t>(ranks.size());
    std::rotate(ring, std::find(ring, rings.ranks.end(), ranks[root]), rings.ranks.end());
  }
  Phases phases = ring_phases(draft, collective, rings, both_ways);
  for (PlanPhase& phase : phases) {
    phase.bytes_per_byte /= static_cast<double>(channels);
    phase.seconds_per_byte /= static_cast<double>(channels);
  }
  return phases;
}

}  // namespace orrery::simulate

// Rings: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
#include <algorithm>

#include "simulate/collective/dimension_levels.h"
#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

using Members = std::span<const std::uint32_t>;

/// Transfers from each member to the next one (or the one before), the last to the first. Returns the latency of each
/// hop, in the order in which data meets them.
std::vector<TimePs> add_cycle(LinkWeights& weights, Members members, bool backwards) {
  const std::size_t n = members.size();
  std::vector<TimePs> latencies(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = backwards ? (n - i) % n : i;
    const std::size_t to = backwards ? n - 1 - i : (i + 1) % n;
    latencies[i] = weights.add(members[from], members[to]);
  }
  return latencies;
}

/// The longest that `hops` hops in a row can take: what the unluckiest chunk meets on its way round.
TimePs slowest_way(std::span<const TimePs> latencies, std::size_t hops) {
  const std::size_t n = latencies.size();
  TimePs round = 0, window = 0;
  for (const TimePs latency : latencies) round += latency;
  for (std::size_t i = 0; i < hops % n; ++i) window += latencies[i];
  TimePs most = window;
  for (std::size_t i = 0; i < n; ++i) {
    window += latencies[(i + hops) % n] - latencies[i];
    most = std::max(most, window);
  }
  return static_cast<TimePs>(hops / n) * round + most;
}

/// All members pass chunks on to their neighbour, `hops` times.
PlanPhase cycle_phase(const PhaseBuilder& builder, const GroupFamily& family, bool both_ways, double bytes_per_edge,
                      std::size_t hops) {
  TimePs alpha = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    for (const bool backwards : {false, true}) {
      if (backwards && !both_ways) break;
      alpha = std::max(alpha, slowest_way(add_cycle(builder.weights, family.group(g), backwards), hops));
    }
  }
  return builder.phase(bytes_per_edge, alpha + static_cast<TimePs>(hops) * builder.message_overhead_ps, hops);
}

/// A line of `length` hops that starts at the root, in front of `members`. Hop i carries `weight_of_hop(i)` transfers,
/// towards the root if `inwards`. Returns the latency of the line.
template <typename WeightOfHop>
TimePs add_line(LinkWeights& weights, Members members, std::size_t length, bool backwards, bool inwards,
                const WeightOfHop& weight_of_hop) {
  const std::size_t n = members.size();
  TimePs latency = 0;
  for (std::size_t i = 0; i < length; ++i) {
    std::uint32_t from = members[backwards ? (n - i) % n : i];
    std::uint32_t to = members[backwards ? n - 1 - i : i + 1];
    if (inwards) std::swap(from, to);
    latency += weights.add(from, to, weight_of_hop(i));
  }
  return latency;
}

/// broadcast and reduce: the whole buffer (half of it each way) passes along every hop.
PlanPhase whole_buffer_phase(const PhaseBuilder& builder, const GroupFamily& family, bool both_ways, bool inwards) {
  const std::size_t hops = family.group_size - 1;
  const auto once = [](std::size_t) { return 1.0; };
  TimePs alpha = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    alpha = std::max(alpha, add_line(builder.weights, family.group(g), hops, false, inwards, once));
    if (both_ways) alpha = std::max(alpha, add_line(builder.weights, family.group(g), hops, true, inwards, once));
  }
  return builder.phase(both_ways ? 0.5 : 1, alpha + static_cast<TimePs>(hops) * builder.message_overhead_ps, hops);
}

/// gather and scatter: hop i carries the blocks of all ranks behind it.
PlanPhase blocks_phase(const PhaseBuilder& builder, const GroupFamily& family, bool both_ways, bool inwards) {
  const std::size_t others = family.group_size - 1;
  const std::size_t forwards = both_ways ? (others + 1) / 2 : others;
  const auto blocks_behind = [](std::size_t length) {
    return [length](std::size_t hop) { return static_cast<double>(length - hop); };
  };
  TimePs alpha = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    alpha =
        std::max(alpha, add_line(builder.weights, family.group(g), forwards, false, inwards, blocks_behind(forwards)));
    const std::size_t rest = others - forwards;
    alpha = std::max(alpha, add_line(builder.weights, family.group(g), rest, true, inwards, blocks_behind(rest)));
  }
  return builder.phase(1 / static_cast<double>(family.group_size),
                       alpha + static_cast<TimePs>(forwards) * builder.message_overhead_ps, forwards);
}

/// Blocks travel to ranks at distances 1, 2, …: the sum of the distances crosses each edge. Both ways, the block for
/// the rank opposite is cut in two.
PlanPhase all_to_all_phase(const PhaseBuilder& builder, const GroupFamily& family, bool both_ways) {
  const double n = static_cast<double>(family.group_size);
  if (!both_ways) return cycle_phase(builder, family, false, (n - 1) / 2, family.group_size - 1);
  const bool odd = family.group_size % 2 == 1;
  return cycle_phase(builder, family, true, (odd ? n - 1 / n : n) / 8, family.group_size / 2);
}

}  // namespace

Phases ring_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family, bool both_ways) {
  const std::size_t hops = family.group_size - 1;
  const double around = static_cast<double>(hops) / static_cast<double>(family.group_size) / (both_ways ? 2 : 1);
  switch (collective) {
    case Collective::all_reduce: return {cycle_phase(builder, family, both_ways, 2 * around, 2 * hops)};
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::barrier: return {cycle_phase(builder, family, both_ways, around, hops)};
    case Collective::all_to_all: return {all_to_all_phase(builder, family, both_ways)};
    case Collective::broadcast: return {whole_buffer_phase(builder, family, both_ways, false)};
    case Collective::reduce: return {whole_buffer_phase(builder, family, both_ways, true)};
    case Collective::scatter: return {blocks_phase(builder, family, both_ways, false)};
    case Collective::gather: return {blocks_phase(builder, family, both_ways, true)};
  }
  return {};
}

// Several rings at once over the nodes of a machine, as NCCL's channels: with one ring, all that leaves a node would
// leave through one port.

Phases ring_channels(const PhaseBuilder& builder, workload::Collective collective, std::span<const std::uint32_t> ranks,
                     std::size_t root, bool both_ways) {
  const Channels channels = channels_over_places(ranks, builder.weights.network());
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
  Phases phases = ring_phases(builder, collective, rings, both_ways);
  for (PlanPhase& phase : phases) {
    phase.bytes_per_byte /= static_cast<double>(channels.count);
    phase.seconds_per_byte /= static_cast<double>(channels.count);
  }
  return phases;
}

}  // namespace orrery::simulate

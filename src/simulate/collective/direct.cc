// Every rank to every other at once, or the root to (or from) every other.
#include <algorithm>

#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

PlanPhase all_pairs_phase(const PhaseBuilder& builder, const GroupFamily& family, double bytes_per_pair,
                          std::size_t steps) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    for (const std::uint32_t from : family.group(g)) {
      for (const std::uint32_t to : family.group(g)) latency = std::max(latency, builder.weights.add(from, to));
    }
  }
  const TimePs issue = static_cast<TimePs>(family.group_size - 1) * builder.message_overhead_ps;
  return builder.phase(bytes_per_pair, static_cast<TimePs>(steps) * (latency + issue), steps);
}

PlanPhase root_phase(const PhaseBuilder& builder, const GroupFamily& family, double bytes_per_pair, bool inwards) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    const auto members = family.group(g);
    for (const std::uint32_t other : members.subspan(1)) {
      latency =
          std::max(latency, inwards ? builder.weights.add(other, members[0]) : builder.weights.add(members[0], other));
    }
  }
  const TimePs issue = static_cast<TimePs>(family.group_size - 1) * builder.message_overhead_ps;
  return builder.phase(bytes_per_pair, latency + issue, 1);
}

}  // namespace

Phases pairwise_phases(const PhaseBuilder& builder, const GroupFamily& family) {
  PlanPhase phase = all_pairs_phase(builder, family, 1 / static_cast<double>(family.group_size), 1);
  // Nobody sends to the next before he has heard from the one before: the latency of each, and not of all at once.
  const auto others = static_cast<TimePs>(family.group_size - 1);
  const TimePs latency = phase.alpha_ps - others * builder.message_overhead_ps;
  phase.alpha_ps = others * (latency + builder.message_overhead_ps);
  phase.steps = static_cast<std::uint32_t>(others);
  return {phase};
}

Phases direct_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family) {
  const double block = 1 / static_cast<double>(family.group_size);
  switch (collective) {
    // Every rank reduces its block of all the others, then sends it to them.
    case Collective::all_reduce: return {all_pairs_phase(builder, family, 2 * block, 2)};
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::barrier:
    case Collective::all_to_all: return {all_pairs_phase(builder, family, block, 1)};
    case Collective::broadcast: return {root_phase(builder, family, 1, false)};
    case Collective::reduce: return {root_phase(builder, family, 1, true)};
    case Collective::scatter: return {root_phase(builder, family, block, false)};
    case Collective::gather: return {root_phase(builder, family, block, true)};
  }
  return {};
}

// Collectives with parts of unequal size: MPI's v-collectives.

namespace {

using workload::Collective;

/// Calls f(from, to, bytes) for every transfer; from and to are places in the group.
template <typename F>
void for_transfers(Collective collective, std::span<const std::int64_t> parts, std::size_t ranks, std::size_t root,
                   const F& f) {
  for (std::size_t i = 0; i < ranks; ++i) {
    switch (collective) {
      case Collective::gather: f(i, root, parts[i]); break;
      case Collective::scatter: f(root, i, parts[i]); break;
      case Collective::all_gather:
        for (std::size_t to = 0; to < ranks; ++to) f(i, to, parts[i]);
        break;
      case Collective::reduce_scatter:
        for (std::size_t from = 0; from < ranks; ++from) f(from, i, parts[i]);
        break;
      default:
        for (std::size_t to = 0; to < ranks; ++to) f(i, to, parts[i * ranks + to]);
    }
  }
}

}  // namespace

Phases unequal_phases(const PhaseBuilder& builder, Collective collective, std::span<const std::uint32_t> ranks,
                      std::size_t root, std::span<const std::int64_t> parts, double whole_bytes) {
  const auto most = static_cast<double>(*std::max_element(parts.begin(), parts.end()));
  TimePs latency = 0;
  bool travels = false;
  for_transfers(collective, parts, ranks.size(), root, [&](std::size_t from, std::size_t to, std::int64_t bytes) {
    if (from == to || bytes == 0) return;
    travels = true;
    latency = std::max(latency, builder.weights.add(ranks[from], ranks[to], static_cast<double>(bytes) / most));
  });
  // Everybody keeps what it has, as in MPI_Alltoallv of a matrix that is only permuted inside ranks: a phase without
  // links would never end.
  if (!travels) return {};
  const TimePs issue = static_cast<TimePs>(ranks.size() - 1) * builder.message_overhead_ps;
  return {builder.phase(most / whole_bytes, latency + issue, 1)};
}

}  // namespace orrery::simulate

// Every rank to every other at once, or the root to (or from) every other.
#include <algorithm>

#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

PlanPhase all_pairs_phase(const Draft& draft, const GroupFamily& family, double bytes_per_pair, std::size_t steps) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    for (const std::uint32_t from : family.group(g)) {
      for (const std::uint32_t to : family.group(g)) latency = std::max(latency, draft.weights.add(from, to));
    }
  }
  const TimePs issue = static_cast<TimePs>(family.group_size - 1) * draft.message_overhead_ps;
  return draft.phase(bytes_per_pair, static_cast<TimePs>(steps) * (latency + issue), steps);
}

PlanPhase root_phase(const Draft& draft, const GroupFamily& family, double bytes_per_pair, bool inwards) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    const auto members = family.group(g);
    for (const std::uint32_t other : members.subspan(1)) {
      latency =
          std::max(latency, inwards ? draft.weights.add(other, members[0]) : draft.weights.add(members[0], other));
    }
  }
  const TimePs issue = static_cast<TimePs>(family.group_size - 1) * draft.message_overhead_ps;
  return draft.phase(bytes_per_pair, latency + issue, 1);
}

}  // namespace

Phases pairwise_phases(const Draft& draft, const GroupFamily& family) {
  PlanPhase phase = all_pairs_phase(draft, family, 1 / static_cast<double>(family.group_size), 1);
  // Nobody sends to the next before he has heard from the one before: the latency of each, and not of all at once.
  const auto others = static_cast<TimePs>(family.group_size - 1);
  const TimePs latency = phase.alpha_ps - others * draft.message_overhead_ps;
  phase.alpha_ps = others * (latency + draft.message_overhead_ps);
  phase.steps = static_cast<std::uint32_t>(others);
  return {phase};
}

Phases direct_phases(const Draft& draft, Collective collective, const GroupFamily& family) {
  const double block = 1 / static_cast<double>(family.group_size);
  switch (collective) {
    // Every rank reduces its block of all the others, then sends it to them.
    case Collective::all_reduce: return {all_pairs_phase(draft, family, 2 * block, 2)};
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::barrier:
    case Collective::all_to_all: return {all_pairs_phase(draft, family, block, 1)};
    case Collective::broadcast: return {root_phase(draft, family, 1, false)};
    case Collective::reduce: return {root_phase(draft, family, 1, true)};
    case Collective::scatter: return {root_phase(draft, family, block, false)};
    case Collective::gather: return {root_phase(draft, family, block, true)};
  }
  return {};
}

}  // namespace orrery::simulate

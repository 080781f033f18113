// Recursive halving and doubling: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations
// in MPICH", 2005. Partners are numbers in the group that differ in one bit. The nearest partner gets the largest part.
#include <algorithm>

#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

/// Every member sends to the one whose number differs in `distance` (a power of two).
PlanPhase exchange(const PhaseBuilder& builder, const GroupFamily& family, std::size_t distance, double bytes) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    const auto members = family.group(g);
    for (std::size_t i = 0; i < members.size(); ++i)
      latency = std::max(latency, builder.weights.add(members[i], members[i ^ distance]));
  }
  return builder.phase(bytes, latency + builder.message_overhead_ps, 1);
}

void append_reduce_scatter(const PhaseBuilder& builder, const GroupFamily& family, Phases& phases) {
  double bytes = 0.5;
  for (std::size_t distance = 1; distance < family.group_size; distance *= 2, bytes /= 2) {
    phases.push_back(exchange(builder, family, distance, bytes));
  }
}

void append_all_gather(const PhaseBuilder& builder, const GroupFamily& family, Phases& phases) {
  double bytes = 1 / static_cast<double>(family.group_size);
  for (std::size_t distance = family.group_size / 2; distance > 0; distance /= 2, bytes *= 2) {
    phases.push_back(exchange(builder, family, distance, bytes));
  }
}

void append_all_to_all(const PhaseBuilder& builder, const GroupFamily& family, Phases& phases) {
  for (std::size_t distance = 1; distance < family.group_size; distance *= 2)
    phases.push_back(exchange(builder, family, distance, 0.5));
}

/// One level of the binomial tree: whoever has data (a multiple of 2 * distance) splits it with the one at `distance`.
PlanPhase binomial_level(const PhaseBuilder& builder, const GroupFamily& family, std::size_t distance, bool inwards) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    const auto members = family.group(g);
    for (std::size_t i = 0; i < members.size(); i += 2 * distance) {
      const std::uint32_t near = members[i], far = members[i + distance];
      latency = std::max(latency, inwards ? builder.weights.add(far, near) : builder.weights.add(near, far));
    }
  }
  const double bytes = static_cast<double>(distance) / static_cast<double>(family.group_size);
  return builder.phase(bytes, latency + builder.message_overhead_ps, 1);
}

void append_scatter(const PhaseBuilder& builder, const GroupFamily& family, Phases& phases) {
  for (std::size_t distance = family.group_size / 2; distance > 0; distance /= 2) {
    phases.push_back(binomial_level(builder, family, distance, false));
  }
}

void append_gather(const PhaseBuilder& builder, const GroupFamily& family, Phases& phases) {
  for (std::size_t distance = 1; distance < family.group_size; distance *= 2) {
    phases.push_back(binomial_level(builder, family, distance, true));
  }
}

}  // namespace

Phases halving_doubling_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family) {
  Phases phases;
  switch (collective) {
    case Collective::all_reduce:
      append_reduce_scatter(builder, family, phases);
      append_all_gather(builder, family, phases);
      break;
    case Collective::reduce_scatter: append_reduce_scatter(builder, family, phases); break;
    case Collective::all_gather:
    case Collective::barrier: append_all_gather(builder, family, phases); break;
    case Collective::all_to_all: append_all_to_all(builder, family, phases); break;
    case Collective::broadcast:
      append_scatter(builder, family, phases);
      append_all_gather(builder, family, phases);
      break;
    case Collective::reduce:
      append_reduce_scatter(builder, family, phases);
      append_gather(builder, family, phases);
      break;
    case Collective::scatter: append_scatter(builder, family, phases); break;
    case Collective::gather: append_gather(builder, family, phases); break;
  }
  return phases;
}

}  // namespace orrery::simulate

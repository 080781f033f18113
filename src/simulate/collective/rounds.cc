// Algorithms of MPI libraries that go round by round, for any number of ranks: binomial trees, recursive doubling,
// Bruck's, pairwise exchange. Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005; Bruck et al., "Efficient algorithms for all-to-all communications in multiport message-passing
// systems", 1997.
#include <algorithm>
#include <bit>

#include "simulate/collective/schedules.h"

namespace orrery::simulate {

using workload::Collective;

namespace {

/// One round: `partner(i)` is whom member i sends to (itself: nobody), `weight(i)` what it sends in units of the round.
template <typename Partner, typename Weight>
PlanPhase round_phase(const PhaseBuilder& builder, const GroupFamily& family, double bytes, const Partner& partner,
                      const Weight& weight) {
  TimePs latency = 0;
  for (std::size_t g = 0; g < family.group_count(); ++g) {
    const auto members = family.group(g);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t to = partner(i);
      if (to != i) latency = std::max(latency, builder.weights.add(members[i], members[to], weight(i)));
    }
  }
  return builder.phase(bytes, latency + builder.message_overhead_ps, 1);
}

/// The levels of the tree below the first member, from the top: whoever has it hands it to the one `distance` further.
template <typename Take>
void for_levels(std::size_t ranks, bool inwards, const Take& take) {
  const std::size_t top = std::bit_ceil(ranks) / 2;
  for (std::size_t distance = inwards ? 1 : top; distance > 0 && distance <= top;
       distance = inwards ? distance * 2 : distance / 2)
    take(distance);
}

/// The whole buffer on every edge, or the blocks of all below it.
void append_tree(const PhaseBuilder& builder, const GroupFamily& family, bool inwards, bool blocks, Phases& phases) {
  const std::size_t n = family.group_size;
  for_levels(n, inwards, [&](std::size_t distance) {
    const auto has_child = [&](std::size_t i) {
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no level has the distance 0
      return i % distance == 0 && i / distance % 2 == 0 && i + distance < n;
    };
    const auto outwards = [&](std::size_t i) { return has_child(i) ? i + distance : i; };
    const auto towards_root = [&](std::size_t i) {
      return i >= distance && has_child(i - distance) ? i - distance : i;
    };
    const auto below = [&](std::size_t child) {
      return blocks ? static_cast<double>(std::min(distance, n - child)) / static_cast<double>(distance) : 1.0;
    };
    const double bytes = blocks ? static_cast<double>(distance) / static_cast<double>(n) : 1;
    phases.push_back(
        inwards ? round_phase(builder, family, bytes, towards_root, below)
                : round_phase(builder, family, bytes, outwards, [&](std::size_t i) { return below(i + distance); }));
  });
}

double once(std::size_t /*member*/) { return 1; }

}  // namespace

Phases binomial_tree_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family) {
  Phases phases;
  const bool blocks = collective == Collective::gather || collective == Collective::scatter;
  const bool comes_in = collective != Collective::broadcast && collective != Collective::scatter;
  const bool goes_out = collective != Collective::reduce && collective != Collective::gather;
  if (comes_in) append_tree(builder, family, true, blocks, phases);
  if (goes_out) append_tree(builder, family, false, blocks, phases);
  return phases;
}

Phases recursive_doubling_phases(const PhaseBuilder& builder, const GroupFamily& family) {
  const std::size_t n = family.group_size, power = std::bit_floor(n), rest = n - power;
  // Of the first 2 * rest members the odd ones hand theirs to the even ones, and get the result from them.
  const auto is_folded = [&](std::size_t i) { return i < 2 * rest && i % 2 == 1; };
  const auto number_of = [&](std::size_t i) { return i < 2 * rest ? i / 2 : i - rest; };
  const auto member_of = [&](std::size_t number) { return number < rest ? 2 * number : number + rest; };
  Phases phases;
  if (rest > 0)
    phases.push_back(round_phase(
        builder, family, 1, [&](std::size_t i) { return is_folded(i) ? i - 1 : i; }, once));
  for (std::size_t distance = 1; distance < power; distance *= 2) {
    phases.push_back(round_phase(
        builder, family, 1, [&](std::size_t i) { return is_folded(i) ? i : member_of(number_of(i) ^ distance); },
        once));
  }
  if (rest > 0)
    phases.push_back(round_phase(
        builder, family, 1, [&](std::size_t i) { return i < 2 * rest && !is_folded(i) ? i + 1 : i; }, once));
  return phases;
}

Phases bruck_phases(const PhaseBuilder& builder, Collective collective, const GroupFamily& family) {
  const std::size_t n = family.group_size;
  Phases phases;
  for (std::size_t distance = 1; distance < n; distance *= 2) {
    std::size_t blocks =
        std::min(distance, n - distance);  // all_gather: what is known so far, or all that is still missing
    if (collective == Collective::all_to_all) {
      blocks = 0;  // those whose way has this bit
      for (std::size_t way = 1; way < n; ++way) blocks += (way & distance) != 0 ? 1 : 0;
    }
    const double bytes = collective == Collective::barrier ? 0 : static_cast<double>(blocks) / static_cast<double>(n);
    phases.push_back(round_phase(
        builder, family, bytes, [&](std::size_t i) { return (i + n - distance) % n; }, once));
  }
  return phases;
}

}  // namespace orrery::simulate

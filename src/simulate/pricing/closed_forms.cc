#include "simulate/pricing/closed_forms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "simulate/collective/two_trees.h"

namespace orrery::simulate {
namespace {

using workload::Collective;

/// In units of the buffer and of steps.
struct Form {
  double bytes = 0;       ///< over the busiest link
  double steps = 0;       ///< latencies one after the other
  double overheads = -1;  ///< messages that are issued one after the other; -1: one per step
};

Form ring_form(Collective collective, double n) {
  switch (collective) {
    case Collective::all_reduce: return {2 * (n - 1) / n, 2 * (n - 1)};
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::scatter:
    case Collective::gather: return {(n - 1) / n, n - 1};
    case Collective::all_to_all: return {(n - 1) / 2, n - 1};
    case Collective::broadcast:
    case Collective::reduce: return {1, n - 1};
    case Collective::barrier: return {0, n - 1};
  }
  return {};
}

/// Half of the bytes each way round: worth it where the ways round are different links.
std::optional<Form> two_way_form(Collective collective, const Level& level) {
  const double n = level.members;
  if (level.members < 3 || level.wiring == Wiring::port) return std::nullopt;
  if (collective == Collective::scatter || collective == Collective::gather) return std::nullopt;
  if (collective == Collective::all_to_all)
    return Form{level.members % 2 == 1 ? (n - 1 / n) / 8 : n / 8, std::floor(n / 2)};
  Form form = ring_form(collective, n);
  form.bytes /= 2;
  return form;
}

std::optional<Form> direct_form(Collective collective, const Level& level) {
  if (level.wiring == Wiring::circle && level.members > 2) return std::nullopt;
  const double n = level.members, others = n - 1;
  // Through one port the parts for the others follow each other; over links of their own they go at once.
  const double in_a_row = level.wiring == Wiring::port ? others : 1;
  switch (collective) {
    case Collective::all_reduce: return Form{2 * in_a_row / n, 2, 2 * others};
    case Collective::broadcast:
    case Collective::reduce: return Form{in_a_row, 1, others};
    case Collective::barrier: return Form{0, 1, others};
    default: return Form{in_a_row / n, 1, others};
  }
}

std::optional<Form> halving_doubling_form(Collective collective, const Level& level) {
  if (!std::has_single_bit(level.members) || (level.wiring == Wiring::circle && level.members > 2)) return std::nullopt;
  const double n = level.members, rounds = std::bit_width(level.members) - 1;
  switch (collective) {
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce: return Form{2 * (n - 1) / n, 2 * rounds};
    case Collective::all_to_all: return Form{rounds / 2, rounds};
    case Collective::barrier: return Form{0, rounds};
    default: return Form{(n - 1) / n, rounds};
  }
}

double depth_of(std::span<const std::uint32_t> parents) {
  std::uint32_t deepest = 0;
  for (std::uint32_t node = 0; node < parents.size(); ++node) {
    std::uint32_t depth = 0;
    for (std::uint32_t at = node; parents[at] != at; at = parents[at]) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

/// Bytes of the node with most to send or receive in both trees, of which each carries half.
double busiest_port(const TwoTrees& trees, bool up, bool down) {
  const std::size_t n = trees.first.size();
  std::vector<double> sends(n), receives(n);
  for (const auto* parents : {&trees.first, &trees.second}) {
    for (std::uint32_t node = 0; node < n; ++node) {
      const std::uint32_t parent = (*parents)[node];
      if (parent == node) continue;
      if (up) sends[node] += 0.5, receives[parent] += 0.5;
      if (down) sends[parent] += 0.5, receives[node] += 0.5;
    }
  }
  return std::max(*std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end()));
}

std::optional<Form> tree_form(Collective collective, const Level& level) {
  if (level.wiring != Wiring::port || level.members < 2) return std::nullopt;
  if (collective == Collective::all_gather || collective == Collective::reduce_scatter) {
    const double n = level.members;
    return Form{(n - 1) / n, static_cast<double>(std::bit_width(level.members - 1))};
  }
  const bool whole = collective == Collective::all_reduce || collective == Collective::barrier;
  if (!whole) return std::nullopt;
  const TwoTrees trees = two_trees(level.members);
  const double depth = std::max(depth_of(trees.first), depth_of(trees.second));
  // Down the tree a parent issues one message per child, and nearly all have two.
  return Form{collective == Collective::barrier ? 0 : busiest_port(trees, true, true), 2 * depth, 3 * depth};
}

std::optional<Form> form_of(Collective collective, Algorithm algorithm, const Level& level) {
  switch (algorithm) {
    case Algorithm::ring: return ring_form(collective, level.members);
    case Algorithm::bidirectional_ring: return two_way_form(collective, level);
    case Algorithm::direct: return direct_form(collective, level);
    case Algorithm::halving_doubling: return halving_doubling_form(collective, level);
    case Algorithm::double_binary_tree: return tree_form(collective, level);
    default: break;  // made of others, or not worked out
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClosedForm> closed_form(Collective collective, Algorithm algorithm, const Level& level) {
  if (!can_do(algorithm, collective)) return std::nullopt;
  const std::optional<Form> form = form_of(collective, algorithm, level);
  if (!form) return std::nullopt;
  const double overheads = form->overheads < 0 ? form->steps : form->overheads;
  return ClosedForm{form->bytes / level.bytes_per_second,
                    form->steps * level.hop_ps + overheads * static_cast<double>(level.message_overhead_ps)};
}

std::vector<ClosedForm> automatic_closed_forms(Collective collective, const Level& level, bool is_part) {
  std::vector<ClosedForm> forms;
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::bidirectional_ring, Algorithm::direct, Algorithm::double_binary_tree}) {
    if (!is_automatic(algorithm, collective, level.inside_node)) continue;
    if (is_part && algorithm == Algorithm::double_binary_tree && collective == Collective::barrier) continue;
    if (const std::optional<ClosedForm> form = closed_form(collective, algorithm, level)) forms.push_back(*form);
  }
  return forms;
}

std::optional<ClosedForm> fastest_closed_form(Collective collective, const Level& level) {
  std::optional<ClosedForm> fastest;
  for (const ClosedForm& form : automatic_closed_forms(collective, level, true)) {
    const bool faster = !fastest || form.seconds_per_byte < fastest->seconds_per_byte ||
                        (form.seconds_per_byte == fastest->seconds_per_byte && form.alpha_ps < fastest->alpha_ps);
    if (faster) fastest = form;
  }
  return fastest;
}

}  // namespace orrery::simulate

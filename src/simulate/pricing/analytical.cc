#include "simulate/pricing/analytical.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/units.h"
#include "report/counted.h"
#include "simulate/collective/algorithm.h"
#include "simulate/collective/plan.h"
#include "simulate/collective/schedules.h"
#include "workload/workload.h"

// Top down: a group is split into one level per dimension that it extends in; each level is priced by the textbook form
// of an algorithm, in units of buffers and steps; and levels are added up as a hierarchical collective goes through
// them.

namespace orrery::simulate {

// What a collective costs along one dimension of a machine, as textbooks have it: alpha + S / beta, by algorithm. The
// table is in docs/NETWORK_CHARGES.md, "The algorithms, alone".

/// How neighbours along a dimension are joined, as far as closed forms care.
enum class Wiring : std::uint8_t {
  cycle,      ///< a link to the neighbour on either side
  port,       ///< one link to a switch that never blocks
  all_pairs,  ///< a link to each of the others
};

/// `members` of a group along one dimension.
struct Level {
  Wiring wiring = Wiring::port;
  std::uint32_t members = 1;
  double bytes_per_second = 0;  ///< of one link
  double hop_ps = 0;            ///< from one member to the next: the mean latency of the way
  TimePs message_overhead_ps = 0;
  bool inside_node = false;  ///< see is_inside_node()
};

struct ClosedForm {
  double seconds_per_byte = 0;  ///< of the buffer: bytes over the busiest link, per byte, over its bandwidth
  double alpha_ps = 0;
};

/// None where there is no closed form: an algorithm that is not made for the wiring, or cannot do the collective with
/// so many ranks.
std::optional<ClosedForm> closed_form(workload::Collective collective, Algorithm algorithm, const Level& level);

/// Of the algorithms of the automatic choice that have one: its form for each, in the order of Algorithm. `is_part`: of
/// those that are looked at along one of several dimensions (see fastest_phases()).
std::vector<ClosedForm> automatic_closed_forms(workload::Collective collective, const Level& level, bool is_part);

/// Of these the one that moves a byte fastest, of equals the one with the least latency, then the first. For use as a
/// part of hierarchical.
std::optional<ClosedForm> fastest_closed_form(workload::Collective collective, const Level& level);

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
    // A share travels n/2 hops on the mean: n - 1 shares of 1/n over n/2 hops each are (n - 1)/2 buffers.
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
    // Hops by the shorter way sum up to n^2/4 over all shares, (n^2 - 1)/4 if n is odd; a share is 1/n, and two links
    // carry them.
    return Form{level.members % 2 == 1 ? (n - 1 / n) / 8 : n / 8, std::floor(n / 2)};
  Form form = ring_form(collective, n);
  form.bytes /= 2;
  return form;
}

std::optional<Form> direct_form(Collective collective, const Level& level) {
  if (level.wiring == Wiring::cycle && level.members > 2) return std::nullopt;
  const double n = level.members, others = n - 1;
  // Through one port the parts for the others follow each other; over links of their own they go at once.
  const double in_a_row = level.wiring == Wiring::port ? others : 1;
  switch (collective) {
    // 2 steps: every member gets a part of all, reduces it and sends it to all.
    case Collective::all_reduce: return Form{2 * in_a_row / n, 2, 2 * others};
    case Collective::broadcast:
    case Collective::reduce: return Form{in_a_row, 1, others};
    case Collective::barrier: return Form{0, 1, others};
    default: return Form{in_a_row / n, 1, others};
  }
}

std::optional<Form> halving_doubling_form(Collective collective, const Level& level) {
  if (!std::has_single_bit(level.members) || (level.wiring == Wiring::cycle && level.members > 2)) return std::nullopt;
  const double n = level.members, rounds = std::bit_width(level.members) - 1;
  switch (collective) {
    case Collective::all_reduce:
    case Collective::broadcast:
    // Van de Geijn: a broadcast is a scatter and an all-gather, a reduction the other way round.
    case Collective::reduce: return Form{2 * (n - 1) / n, 2 * rounds};
    // In every round half of the buffer changes hands.
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

namespace {

using machine::Dimension;
using machine::Topology;
using workload::Collective;

constexpr double kPsPerSecondReal = static_cast<double>(kPsPerSecond);

Result<Wiring> wiring_of(const Dimension& dimension) {
  switch (dimension.topology) {
    case Topology::ring: return Wiring::cycle;
    case Topology::fully_connected: return Wiring::all_pairs;
    case Topology::switched:
    case Topology::fat_tree:
    case Topology::leaf_spine:
    case Topology::dragonfly:
    case Topology::rails: return Wiring::port;
    case Topology::mesh:
    case Topology::torus:
    case Topology::links: break;
  }
  return Error{.message = fmt::format("there is no closed form for the dimension '{}', which is a {}", dimension.name,
                                      machine::kTopologyNames[static_cast<std::size_t>(dimension.topology)]),
               .hint = "model: fluid knows every topology"};
}

double bytes_per_second_of(const Dimension& dimension) { return dimension.bandwidth_gb_per_s * dimension.derate * 1e9; }

double link_latency_ps(const Dimension& dimension) {
  return dimension.latency_ns.value_or(0) * static_cast<double>(kPsPerNs);
}

/// Hops between places `distance` apart.
double hops(const Dimension& dimension, Wiring wiring, std::int64_t distance) {
  if (distance == 0) return 0;
  if (wiring == Wiring::cycle) return static_cast<double>(std::min(distance, dimension.size - distance));
  // To a switch and from it are two links.
  return wiring == Wiring::port ? 2 : 1;
}

/// What part of the members of a group lies along one dimension.
Result<Level> level_of(const machine::Machine& machine, std::size_t number, const std::set<std::int64_t>& places,
                       const CommOptions& options) {
  const Dimension& dimension = machine.network[number];
  const Result<Wiring> wiring = wiring_of(dimension);
  if (!wiring) return wiring.error();
  Level level{.wiring = *wiring,
              .members = static_cast<std::uint32_t>(places.size()),
              .bytes_per_second = bytes_per_second_of(dimension),
              .hop_ps = 0,
              .message_overhead_ps = options.message_overhead_ps,
              .inside_node = is_inside_node(number, dimension.topology)};
  double all_hops = 0;
  // The mean over all neighbours in the order of places, with the last next to the first, as a ring has them.
  std::int64_t before = *places.rbegin();  // round about
  for (const std::int64_t place : places) {
    const std::int64_t distance = ((place - before) % dimension.size + dimension.size) % dimension.size;
    all_hops += hops(dimension, *wiring, distance);
    before = place;
  }
  level.hop_ps = all_hops / static_cast<double>(places.size()) * link_latency_ps(dimension);
  return level;
}

/// The dimensions in which a group extends, innermost first.
Result<std::vector<Level>> levels_of(const CommOp& op, const machine::Machine& machine, const CommOptions& options) {
  std::vector<std::set<std::int64_t>> places(machine.network.size());
  for (std::int64_t rest : op.ranks) {
    for (std::size_t d = 0; d < machine.network.size(); ++d) {
      places[d].insert(rest % machine.network[d].size);
      rest /= machine.network[d].size;
    }
    if (rest != 0)
      return Error{
          .message = fmt::format("a group has a rank beyond the {}", report::counted(machine.devices.count, "device"))};
  }
  std::vector<Level> levels;
  std::size_t product = 1;
  for (std::size_t d = 0; d < machine.network.size(); ++d) {
    product *= places[d].size();
    if (places[d].size() < 2) continue;
    Result<Level> level = level_of(machine, d, places[d], options);
    if (!level) return level.error();
    levels.push_back(*level);
  }
  if (product != op.ranks.size())
    return Error{.message = fmt::format("the group of {} does not fill the machine's dimensions evenly",
                                        report::counted(op.ranks.size(), "rank"))};
  return levels;
}

TimePs whole_ps(double seconds_per_byte, double bytes) {
  return phase_beta_ps(PlanPhase{.bytes_per_byte = 0, .shares = {}, .seconds_per_byte = seconds_per_byte}, bytes);
}

/// Adds up the levels of a hierarchical collective.
class LevelSum {
 public:
  LevelSum(std::vector<Level> levels, Algorithm algorithm, double bytes)
      : levels_(std::move(levels)), algorithm_(algorithm), bytes_(bytes) {}

  Result<Price> all(Collective collective) {
    const std::size_t last = levels_.size() - 1;
    double part = 1;
    switch (collective) {
      case Collective::all_reduce:
        // Inner levels reduce and later gather what is left of the buffer; only the last level reduces all.
        for (std::size_t i = 0; i < last; part /= levels_[i++].members) {
          add(Collective::reduce_scatter, i, part);
          add(Collective::all_gather, i, part);
        }
        add(collective, last, part);
        break;
      case Collective::reduce_scatter:
      case Collective::all_gather:
      case Collective::barrier:
        for (std::size_t i = 0; i <= last; part /= levels_[i++].members) add(collective, i, part);
        break;
      default:
        for (std::size_t i = 0; i <= last; ++i) add(collective, i, 1);
    }
    if (error_) return *error_;
    price_.total_ps = price_.alpha_ps + price_.beta_ps;
    return price_;
  }

 private:
  void add(Collective collective, std::size_t number, double part) {
    const Level& level = levels_[number];
    const std::optional<ClosedForm> form = best_form(collective, level);
    if (!form) {
      if (!error_) {
        error_ = Error{.message = fmt::format("there is no closed form for {} by {} over {} of a dimension",
                                              workload::to_string(collective), to_string(algorithm_),
                                              report::counted(level.members, "rank")),
                       .hint = "collective_algorithm: auto"};
      }
      return;
    }
    price_.alpha_ps += std::llround(form->alpha_ps);
    price_.beta_ps += whole_ps(form->seconds_per_byte * part, bytes_);
  }

  /// In one dimension `auto` prices all of them for the size at hand; as a part of several, and for hierarchical, what
  /// moves a byte fastest.
  [[nodiscard]] std::optional<ClosedForm> best_form(Collective collective, const Level& level) const {
    if (algorithm_ == Algorithm::hierarchical || (algorithm_ == Algorithm::automatic && levels_.size() > 1))
      return fastest_closed_form(collective, level);
    if (algorithm_ != Algorithm::automatic) return closed_form(collective, algorithm_, level);
    std::optional<ClosedForm> cheapest;
    const auto cost = [&](const ClosedForm& form) {
      return form.alpha_ps + form.seconds_per_byte * bytes_ * kPsPerSecondReal;
    };
    for (const ClosedForm& form : automatic_closed_forms(collective, level, false)) {
      if (!cheapest || cost(form) < cost(*cheapest)) cheapest = form;
    }
    return cheapest;
  }

  std::vector<Level> levels_;
  Algorithm algorithm_;
  double bytes_;
  Price price_;
  std::optional<Error> error_;
};

Result<Price> message_price(const CommOp& op, const machine::Machine& machine, const CommOptions& options) {
  std::int64_t source = op.ranks[0], target = op.ranks[1];
  double latency_ps = 0, seconds_per_byte = 0;
  for (const Dimension& dimension : machine.network) {
    const std::int64_t distance = std::abs(source % dimension.size - target % dimension.size);
    source /= dimension.size;
    target /= dimension.size;
    if (distance == 0) continue;
    const Result<Wiring> wiring = wiring_of(dimension);
    if (!wiring) return wiring.error();
    latency_ps += hops(dimension, *wiring, distance) * link_latency_ps(dimension);
    seconds_per_byte = std::max(seconds_per_byte, 1 / bytes_per_second_of(dimension));
  }
  const bool asks_first = options.rendezvous_above_bytes && op.bytes > *options.rendezvous_above_bytes;
  const double ways = asks_first ? 3 : 1;  // "may I?", "go on", and the message
  Price price{.alpha_ps = std::llround(ways * (latency_ps + static_cast<double>(options.message_overhead_ps))),
              .beta_ps = whole_ps(seconds_per_byte, static_cast<double>(op.bytes))};
  price.total_ps = price.alpha_ps + price.beta_ps;
  return price;
}

}  // namespace

Result<Price> analytical_price(const CommOp& op, const machine::Machine& machine, const CommOptions& options) {
  if (op.bytes < 0) return Error{.message = fmt::format("an operation of {} bytes", op.bytes)};
  if (op.kind == CommOp::Kind::message) {
    if (op.ranks.size() != 2)
      return Error{.message = fmt::format("a message has a source and a target, not {}",
                                          report::counted(op.ranks.size(), "rank"))};
    return op.ranks[0] == op.ranks[1] ? Price{} : message_price(op, machine, options);
  }
  const bool barrier = op.collective == Collective::barrier;
  if (op.ranks.size() < 2 || (op.bytes == 0 && !barrier)) return Price{};
  if (!op.parts.empty()) return Error{.message = "there is no closed form for parts of unequal size"};
  Result<std::vector<Level>> levels = levels_of(op, machine, options);
  if (!levels) return levels.error();
  LevelSum sum(std::move(*levels), options.algorithm(op.collective), barrier ? 0 : static_cast<double>(op.bytes));
  Result<Price> price = sum.all(op.collective);
  if (!price) return price;
  price->alpha_ps += options.launch_overhead_ps;
  price->total_ps += options.launch_overhead_ps;
  if (price->total_ps >= kLongestPs)
    return Error{.message = fmt::format("an operation of {} bytes would take more than 26 days", op.bytes)};
  return price;
}

}  // namespace orrery::simulate

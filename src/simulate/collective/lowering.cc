#include "simulate/collective/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "report/counted.h"
#include "simulate/collective/algorithm.h"
#include "simulate/collective/dimension_levels.h"
#include "simulate/collective/schedules.h"

// From the cheapest to the dearest: a small table of recent plans by flow, all plans by group and algorithm, and the
// schedule of an algorithm counted onto links. `auto` makes the plans of every algorithm that applies once, and
// compares their prices for the size at hand. Messages have tables of their own, by source and target.

namespace orrery::simulate {

std::size_t GroupTable::RanksHash::operator()(std::span<const std::uint32_t> ranks) const {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(ranks.data()), ranks.size_bytes()});
}

bool GroupTable::RanksEqual::operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

Result<GroupTable::GroupId> GroupTable::intern(std::span<const std::uint32_t> ranks) {
  if (const auto known = by_list_.find(ranks); known != by_list_.end()) return known->second;
  if (ranks.empty()) return Error{.message = "the group of a collective has no ranks"};

  Ranks sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.back() >= device_count_) {
    return Error{.message = fmt::format("rank {} is in a group, but the machine has {}", sorted.back(),
                                        report::counted(device_count_, "device"))};
  }
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return Error{.message = fmt::format("rank {} is named twice in a group of {}", *twice,
                                        report::counted(sorted.size(), "rank"))};
  }

  const auto [entry, is_new] = by_list_.try_emplace(sorted, static_cast<GroupId>(groups_.size()));
  const GroupId group = entry->second;
  // Found by the list as it was given, too: it comes again in this order.
  by_list_.try_emplace(Ranks(ranks.begin(), ranks.end()), group);
  if (is_new) groups_.push_back(std::move(sorted));
  return group;
}

using workload::Collective;

namespace {

constexpr std::array kAutomaticAlgorithms = {Algorithm::ring, Algorithm::bidirectional_ring, Algorithm::direct,
                                             Algorithm::double_binary_tree, Algorithm::hierarchical};

Error no_way(std::uint32_t from, std::uint32_t to) {
  return Error{.message = fmt::format("there is no way from device {} to device {}", from, to),
               .hint = "look at the machine's faults"};
}

}  // namespace

double bytes_moved(const CommOp& op) {
  const bool barrier = op.kind == CommOp::Kind::collective && op.collective == Collective::barrier;
  return barrier ? 0 : static_cast<double>(op.bytes);
}

std::size_t Lowering::KeyHash::operator()(const Key& key) const {
  const auto mix = [](std::uint64_t value) {  // the finaliser of SplitMix64
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  };
  const std::uint64_t how =
      static_cast<std::uint64_t>(key.collective) * 256 + static_cast<std::uint64_t>(key.algorithm);
  return mix(mix(mix(key.flow) + how) + (std::uint64_t{key.group} << 32 | key.root));
}

Lowering::Lowering(machine::Network network, CommOptions options)
    : options_(options),
      weights_(std::move(network)),
      groups_(weights_.network().device_count()),
      nothing_(std::make_shared<const Plan>()) {}

Result<Lowering::SharedPlan> Lowering::plan(const CommOp& op, std::span<const double> traffic) {
  return plan(op, op.algorithm.value_or(options_.algorithm(op.collective)), traffic);
}

Result<Lowering::SharedPlan> Lowering::plan(const CommOp& op, Algorithm algorithm, std::span<const double> traffic) {
  if (op.bytes < 0) return Error{.message = fmt::format("an operation of {} bytes", op.bytes)};
  if (op.kind == CommOp::Kind::message) return message_plan(op, traffic);

  RecentPlan& recent = recent_plan(op);
  if (is_for(recent, op, algorithm)) return recent.plan;
  const auto group = groups_.intern(op.ranks);
  if (!group) return group.error();
  Key key{.flow = op.flow, .group = *group, .root = 0, .collective = op.collective, .algorithm = algorithm};
  if (workload::is_rooted(op.collective)) {
    if (op.root >= op.ranks.size()) {
      return Error{.message = fmt::format("the root of a {} is number {} of {}", workload::to_string(op.collective),
                                          op.root, report::counted(op.ranks.size(), "rank"))};
    }
    key.root = op.ranks[op.root];
  }
  // A barrier moves nothing and takes time all the same.
  if (op.ranks.size() == 1 || (op.bytes == 0 && op.collective != Collective::barrier)) return nothing_;
  if (!op.parts.empty()) return unequal_plan(op);
  if (algorithm == Algorithm::mpi) {
    key.algorithm = mpi_choice(op.collective, op.ranks.size(), bytes_moved(op));
    // Where a library would send more messages than can be looked at here, the cheapest of the others stands for it.
    if (!check_applies(key.algorithm, op.collective, op.ranks.size())) key.algorithm = Algorithm::automatic;
  }
  auto plan = key.algorithm != Algorithm::automatic ? collective_plan(key) : cheapest_plan(key, bytes_moved(op));
  if (plan && std::is_sorted(op.ranks.begin(), op.ranks.end()))
    recent = {*plan, op.flow, op.bytes, *group, op.root, op.collective, algorithm};
  return plan;
}

Lowering::RecentPlan& Lowering::recent_plan(const CommOp& op) {
  // Groups grow in number with the devices; where two share a place, both are looked for the long way every time.
  if (recent_plans_.empty())
    // Some places per device: enough for a job with its groups, few enough for the caches.
    recent_plans_.resize(std::clamp<std::size_t>(4 * std::bit_ceil(network().device_count()), 4096, 1 << 16));
  return recent_plans_[(op.flow * workload::kCollectives + static_cast<std::uint64_t>(op.collective)) %
                       recent_plans_.size()];
}

bool Lowering::is_for(const RecentPlan& recent, const CommOp& op, Algorithm algorithm) const {
  if (recent.plan == nullptr || recent.flow != op.flow || recent.bytes != op.bytes ||
      recent.collective != op.collective)
    return false;
  if (recent.algorithm != algorithm || recent.root != op.root || !op.parts.empty()) return false;
  // A group whose ranks come in another order is found the long way, since the root is a place in that order.
  const std::span<const std::uint32_t> ranks = groups_.ranks(recent.group);
  return std::equal(ranks.begin(), ranks.end(), op.ranks.begin(), op.ranks.end());
}

std::span<Lowering::RecentRoute> Lowering::recent_routes(std::uint32_t source, std::uint32_t target, bool asks_first) {
  // These look at the message, or at the load: its way is no matter of source and target alone.
  if (network().routing() == machine::Routing::ecmp || network().routing() == machine::Routing::adaptive) return {};
  if (recent_routes_.empty())
    recent_routes_.resize(std::clamp<std::size_t>(8 * std::bit_ceil(network().device_count()), 256, 1 << 17));
  // Programs send small and large messages to the same neighbour in turn: these have places of their own. Ranks that do
  // the same at the same time send equally far, one after the other: by the distance it is decided where their places
  // begin, and these lie side by side, in the order in which they are asked for. Only the upper bits of a product with
  // the golden ratio (Knuth, vol. 3, 6.4) depend on all of the distance.
  const std::uint64_t distance = std::uint64_t{target - source} << 1 | (asks_first ? 1 : 0);
  const std::size_t set = (source + (distance * 0x9e3779b97f4a7c15u >> 32)) % (recent_routes_.size() / kRoutesOfSet);
  return std::span(recent_routes_).subspan(set * kRoutesOfSet, kRoutesOfSet);
}

Result<Lowering::SharedPlan> Lowering::message_plan(const CommOp& op, std::span<const double> traffic) {
  if (op.ranks.size() != 2)
    return Error{.message = fmt::format("a message has a source and a target, not {}",
                                        report::counted(op.ranks.size(), "rank"))};
  const std::uint32_t source = op.ranks[0], target = op.ranks[1], devices = network().device_count();
  if (std::max(source, target) >= devices) {
    return Error{.message = fmt::format("a message goes from rank {} to rank {}, but the machine has {}", source,
                                        target, report::counted(devices, "device"))};
  }
  if (source == target) return nothing_;

  const bool asks_first = options_.rendezvous_above_bytes && op.bytes > *options_.rendezvous_above_bytes;
  const std::span<RecentRoute> recent = recent_routes(source, target, asks_first);
  for (const RecentRoute& route : recent) {
    if (route.source == source && route.target == target && route.asks_first == asks_first && route.plan != nullptr)
      return route.plan;
  }
  weights_.set_flow(op.flow);
  weights_.set_traffic(traffic);
  TimePs alpha = options_.message_overhead_ps;
  // What the two short messages load is not counted: they carry no bytes.
  if (asks_first) {
    alpha += weights_.add(source, target) + weights_.add(target, source) +
             2 * options_.message_overhead_ps;  // "may I?" and "go on"
    weights_.take();
  }
  alpha += weights_.add(source, target);
  Plan plan{.algorithm = Algorithm::direct, .launch_ps = 0, .phases = {}};
  plan.phases.push_back(PhaseBuilder{.weights = weights_}.phase(1, alpha, 1));
  if (const auto cut = weights_.take_unreachable()) return no_way(cut->first, cut->second);
  auto made = std::make_shared<const Plan>(std::move(plan));
  if (!recent.empty()) {
    // The oldest of the set goes.
    std::rotate(recent.begin(), recent.end() - 1, recent.end());
    recent.front() = {made, source, target, asks_first};
  }
  return made;
}

Result<Lowering::SharedPlan> Lowering::unequal_plan(const CommOp& op) {
  const std::size_t wanted =
      op.collective == Collective::all_to_all ? op.ranks.size() * op.ranks.size() : op.ranks.size();
  if (op.parts.size() != wanted) {
    return Error{.message = fmt::format("a {} over {} has {}, not {}", workload::to_string(op.collective),
                                        report::counted(op.ranks.size(), "rank"),
                                        report::counted(op.parts.size(), "part"), wanted)};
  }
  const Status applies = check_applies(Algorithm::direct, op.collective, op.ranks.size());
  if (!applies) return applies.error();
  weights_.set_flow(op.flow);
  weights_.set_traffic({});
  const PhaseBuilder builder{.weights = weights_, .message_overhead_ps = options_.message_overhead_ps};
  Plan plan{.algorithm = Algorithm::direct, .launch_ps = options_.launch_overhead_ps, .phases = {}};
  plan.phases = unequal_phases(builder, op.collective, op.ranks, op.root, op.parts, bytes_moved(op));
  if (plan.phases.empty()) return nothing_;
  if (const auto cut = weights_.take_unreachable()) return no_way(cut->first, cut->second);
  return std::make_shared<const Plan>(std::move(plan));
}

/// Why `algorithm` cannot do `collective` over `ranks` ranks, as far as numbers tell.
Status Lowering::check_applies(Algorithm algorithm, Collective collective, std::size_t ranks) const {
  if (!can_do(algorithm, collective)) {
    return Error{.message =
                     fmt::format("{} cannot be done by {}", workload::to_string(collective), to_string(algorithm))};
  }
  if (algorithm == Algorithm::halving_doubling && !std::has_single_bit(ranks)) {
    return Error{.message = fmt::format("halving_doubling needs a power of two, and the group has {}",
                                        report::counted(ranks, "rank")),
                 .hint = "choose ring, double_binary_tree or auto"};
  }
  // A route by load takes longer to find than one from a table, and all pairs of a large group are many.
  const std::size_t most =
      network().routing() == machine::Routing::adaptive ? kMaxAdaptiveDirectRanks : kMaxDirectRanks;
  const bool all_pairs = algorithm == Algorithm::direct || algorithm == Algorithm::pairwise;
  if (all_pairs && !workload::is_rooted(collective) && ranks > most) {
    return Error{.message = fmt::format("{} over {} would be {}; on this machine it is done for up to {}",
                                        to_string(algorithm), report::counted(ranks, "rank"),
                                        report::counted(ranks * (ranks - 1), "message"), report::counted(most, "rank")),
                 .hint = "choose hierarchical or auto"};
  }
  return {};
}

/// Whether the automatic choice prices `algorithm` for a group.
bool Lowering::worth_looking_at(Algorithm algorithm, Collective collective,
                                std::span<const std::uint32_t> ranks) const {
  if (!is_automatic(algorithm, collective, lies_inside_node(ranks, network()))) return false;
  if (!check_applies(algorithm, collective, ranks.size())) return false;
  if (algorithm != Algorithm::hierarchical) return true;
  const auto levels =
      dimension_levels(ranks, network());  // with one it would be one of the others; uneven ones do not fit
  return levels && levels->size() > 1;
}

Result<Lowering::SharedPlan> Lowering::collective_plan(const Key& key) {
  if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
  const Status applies = check_applies(key.algorithm, key.collective, groups_.ranks(key.group).size());
  if (!applies) return applies.error();

  weights_.set_flow(key.flow);
  weights_.set_traffic({});
  auto phases = make_phases(key);
  if (!phases) return phases.error();
  if (const auto cut = weights_.take_unreachable()) return no_way(cut->first, cut->second);
  auto plan = std::make_shared<Plan>();
  plan->algorithm = key.algorithm;
  plan->launch_ps = options_.launch_overhead_ps;
  plan->phases = std::move(*phases);
  for (PlanPhase& phase : plan->phases) phase.route = ++routes_;
  return plans_.emplace(key, std::move(plan)).first->second;
}

Result<std::vector<PlanPhase>> Lowering::make_phases(const Key& key) {
  const auto ranks = groups_.ranks(key.group);
  const PhaseBuilder builder{.weights = weights_, .message_overhead_ps = options_.message_overhead_ps};
  const auto root =
      workload::is_rooted(key.collective) ? std::lower_bound(ranks.begin(), ranks.end(), key.root) - ranks.begin() : 0;
  if (key.algorithm == Algorithm::hierarchical)
    return hierarchical_phases(builder, key.collective, ranks, static_cast<std::size_t>(root));

  GroupFamily family{.ranks = {ranks.begin(), ranks.end()}, .group_size = ranks.size()};
  std::rotate(family.ranks.begin(), family.ranks.begin() + root, family.ranks.end());
  switch (key.algorithm) {
    case Algorithm::ring:
    case Algorithm::bidirectional_ring:
      return ring_channels(builder, key.collective, ranks, static_cast<std::size_t>(root),
                           key.algorithm == Algorithm::bidirectional_ring);
    case Algorithm::direct: return direct_phases(builder, key.collective, family);
    case Algorithm::halving_doubling: return halving_doubling_phases(builder, key.collective, family);
    case Algorithm::double_binary_tree:
      if (key.collective == Collective::all_reduce || key.collective == Collective::barrier)
        return tree_channels(builder, ranks);
      return double_binary_tree_phases(builder, key.collective, family);
    case Algorithm::binomial_tree: return binomial_tree_phases(builder, key.collective, family);
    case Algorithm::recursive_doubling: return recursive_doubling_phases(builder, family);
    case Algorithm::bruck: return bruck_phases(builder, key.collective, family);
    case Algorithm::pairwise: return pairwise_phases(builder, family);
    case Algorithm::automatic:
    case Algorithm::mpi:
    case Algorithm::hierarchical: break;
  }
  return Error{.message = fmt::format("no schedule for {}", to_string(key.algorithm))};
}

Result<Lowering::SharedPlan> Lowering::cheapest_plan(const Key& key, double bytes) {
  auto known = candidates_.find(key);
  if (known == candidates_.end()) {
    std::vector<SharedPlan> plans;
    for (const Algorithm algorithm : kAutomaticAlgorithms) {
      if (!worth_looking_at(algorithm, key.collective, groups_.ranks(key.group))) continue;
      Key concrete = key;
      concrete.algorithm = algorithm;
      auto plan = collective_plan(concrete);
      if (!plan) return plan.error();
      plans.push_back(std::move(*plan));
    }
    known = candidates_.emplace(key, std::move(plans)).first;
  }
  const auto price = [&](const SharedPlan& plan) { return plan->alpha_ps() + plan->beta_ps(bytes); };
  return *std::min_element(known->second.begin(), known->second.end(),
                           [&](const SharedPlan& a, const SharedPlan& b) { return price(a) < price(b); });
}

Result<std::vector<Phase>> lower(const CommOp& op, Algorithm algorithm, const machine::Network& network,
                                 const CommOptions& options) {
  Lowering lowering(network, options);
  const auto plan = lowering.plan(op, algorithm);
  if (!plan) return plan.error();
  const double bytes = bytes_moved(op);
  std::vector<Phase> phases;
  for (const PlanPhase& phase : (*plan)->phases) {
    phases.push_back({.bytes = bytes * phase.bytes_per_byte,
                      .shares = phase.shares,
                      .alpha_ps = phase.alpha_ps,
                      .steps = phase.steps});
  }
  return phases;
}

}  // namespace orrery::simulate

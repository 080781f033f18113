#include "simulate/models/folded_links.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/random.h"

// Colour refinement: links and operations are told apart by what is told apart already, until nothing changes.
// Signatures are sums of mixed numbers, which need no order; classes that they should have told apart and did not are
// found when they are used, since what is folded is held against the classes exactly.

namespace orrery::simulate {
namespace {

std::uint64_t mixed(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t state = 0;
  for (const std::uint64_t number : numbers) {
    state ^= number;
    state = next_random(state);
  }
  return state;
}

std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }

/// Whether all but the links is the same: such operations end together if their flows do.
bool have_same_times(const Plan& a, const Plan& b) {
  return a.launch_ps == b.launch_ps && std::equal(a.phases.begin(), a.phases.end(), b.phases.begin(), b.phases.end(),
                                                  [](const PlanPhase& one, const PlanPhase& other) {
                                                    return one.alpha_ps == other.alpha_ps &&
                                                           one.bytes_per_byte == other.bytes_per_byte;
                                                  });
}

/// New numbers for what had `classes`, so that two have the same if they had and their signatures are the same. How
/// many there are.
std::uint32_t tell_apart(const std::vector<std::uint64_t>& signatures, std::vector<std::uint32_t>& classes) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    classes[i] = numbers.try_emplace(mixed({classes[i], signatures[i]}), next).first->second;
  }
  return static_cast<std::uint32_t>(numbers.size());
}

// What is alike is so after a few rounds. A line of neighbours on a line of links takes a round for each of them, to no
// avail.
constexpr int kMostRounds = 16;
// Beyond so many links of operations it would take more memory than is gained: 160 MB.
constexpr std::size_t kMostLoads = std::size_t{1} << 22;

}  // namespace

FoldedLinks::FoldedLinks(Lowering& lowering) : lowering_(lowering), recent_(kRecent) {}

void FoldedLinks::forget_classes() {
  const std::span<const machine::Link> links = lowering_.network().links();
  std::map<double, std::uint32_t> numbers;
  class_of_link_.clear();
  for (const machine::Link& link : links)
    class_of_link_.push_back(
        numbers.try_emplace(solver_capacity(link), static_cast<std::uint32_t>(numbers.size())).first->second);
  number_links();
  sum_.assign(links.size(), {});
  for (machine::LinkId link = 0; link < links.size(); ++link) sum_[link] = {link, 0, 0};
  class_of_line_.clear();
}

void FoldedLinks::number_links() {
  classes_.clear();
  for (machine::LinkId link = 0; link < class_of_link_.size(); ++link) {
    const std::uint32_t number = class_of_link_[link];
    if (number >= classes_.size()) classes_.resize(number + std::size_t{1});
    if (classes_[number].size++ == 0) classes_[number].first = link;
  }
  touched_of_class_.assign(classes_.size(), 0);
}

void FoldedLinks::restart() {
  is_folded_ = false;
  found_unlike_ = is_hopeless_ = false;
  plans_.clear();
  recent_.assign(kRecent, {});
  number_of_line_.clear();
  groups_.clear();
  loads_.clear();
}

FoldedLinks::Line FoldedLinks::line_of(const CommOp& op) {
  if (op.kind == CommOp::Kind::collective) return op.flow;
  return std::uint64_t{1} << 63 | std::uint64_t{op.ranks[0]} << 31 | op.ranks[1];
}

std::uint64_t FoldedLinks::kind_of(const CommOp& op, const Plan& plan) {
  std::uint64_t kind = mixed({static_cast<std::uint64_t>(op.kind), static_cast<std::uint64_t>(op.collective), op.root,
                              static_cast<std::uint64_t>(plan.algorithm), static_cast<std::uint64_t>(plan.launch_ps)});
  for (const PlanPhase& phase : plan.phases)
    kind = mixed({kind, static_cast<std::uint64_t>(phase.alpha_ps), bits(phase.bytes_per_byte), phase.shares.size()});
  return kind;
}

std::uint64_t FoldedLinks::way_of(const CommOp& op, const Plan& plan) {
  std::uint64_t way = kind_of(op, plan);
  for (const PlanPhase& phase : plan.phases) {
    for (const LinkShare& share : phase.shares) way = mixed({way, share.link, bits(share.weight)});
  }
  return way;
}

std::uint32_t FoldedLinks::class_of(const CommOp& op) const {
  const auto found = class_of_line_.find(line_of(op));
  return found == class_of_line_.end() ? 0 : found->second;
}

void FoldedLinks::announce(const CommOp& op) {
  // What cannot be planned is an Error when it starts.
  static_cast<void>(plan(op));
}

Result<Lowering::SharedPlan> FoldedLinks::plan(const CommOp& op) {
  auto own = lowering_.plan(op);
  if (!own || (*own)->phases.empty()) return own;
  // A plan that is held here is the only one at its place in memory, and has one kind.
  const Line line = line_of(op);
  Recent& recent = recent_[(line ^ line >> 31) % kRecent];
  if (recent.line == line && recent.own == *own) return recent.folded;
  const Key key{line, way_of(op, **own)};
  auto kept = plans_.find(key);
  if (kept == plans_.end()) {
    auto folded = fold_plan(op, *own);
    if (!folded) return folded;
    kept = plans_.emplace(key, std::move(*folded)).first;
  }
  recent = {line, std::move(*own), kept->second};
  return kept->second;
}

Result<Lowering::SharedPlan> FoldedLinks::fold_plan(const CommOp& op, const Lowering::SharedPlan& plan) {
  const auto group = static_cast<std::uint32_t>(groups_.size());
  const auto own = number_of_line_.find(line_of(op));
  const std::uint32_t number = own == number_of_line_.end() ? group : own->second;
  note(op, number, *plan);
  std::vector<Lowering::SharedPlan> members{plan};
  for (const AlikeOp& other : op.alike) {
    CommOp one = op;
    one.ranks = other.ranks;
    one.flow = other.flow;
    auto others = lowering_.plan(one);
    if (!others) return others.error();
    note(one, number, **others);
    found_unlike_ |= !have_same_times(*plan, **others);
    members.push_back(std::move(*others));
  }
  if (found_unlike_) return plan;
  auto folded = std::make_shared<Plan>(*plan);
  for (std::size_t p = 0; p < plan->phases.size(); ++p) {
    const std::uint64_t load = load_of_classes(plan->phases[p]);
    found_unlike_ |= !std::all_of(members.begin(), members.end(), [&](const Lowering::SharedPlan& member) {
      return load_of_classes(member->phases[p]) == load;
    });
    found_unlike_ |= !add_up(members, p);
    PlanPhase& phase = folded->phases[p];
    phase.shares.clear();
    std::sort(touched_.begin(), touched_.end());
    for (const machine::LinkId link : touched_) {
      if (representative(link) == link) phase.shares.push_back(sum_[link]);
      sum_[link] = {link, 0, 0};
    }
    touched_.clear();
    if (phase.route != kNoRoute) phase.route = lowering_.new_route();
  }
  return op.alike.empty() || found_unlike_ ? plan : Lowering::SharedPlan(std::move(folded));
}

void FoldedLinks::note(const CommOp& op, std::uint32_t group, const Plan& plan) {
  const std::uint64_t kind = kind_of(op, plan);
  // Parts of unequal size make a way of their own, and another for each size.
  if (!op.parts.empty() || loads_.size() > kMostLoads) {
    found_unlike_ = is_hopeless_ = true;
    return;
  }
  const auto [at, is_new] = number_of_line_.try_emplace(line_of(op), static_cast<std::uint32_t>(groups_.size()));
  if (is_new) groups_.push_back(group);
  for (std::size_t p = 0; p < plan.phases.size(); ++p) {
    for (const LinkShare& share : plan.phases[p].shares) loads_.push_back({at->second, mixed({kind, p}), share});
  }
}

std::uint64_t FoldedLinks::load_of_classes(const PlanPhase& phase) const {
  std::uint64_t sum = 0;
  for (const LinkShare& share : phase.shares) sum += mixed({class_of_link_[share.link], bits(share.weight)});
  return sum;
}

bool FoldedLinks::add_up(std::span<const Lowering::SharedPlan> members, std::size_t phase) {
  for (const Lowering::SharedPlan& member : members) {
    for (const LinkShare& share : member->phases[phase].shares) {
      LinkShare& sum = sum_[share.link];
      if (sum.flows++ == 0) {
        touched_.push_back(share.link);
        ++touched_of_class_[class_of_link_[share.link]];
      }
      sum.weight += share.weight;
    }
  }
  bool is_even = true;
  for (const machine::LinkId link : touched_) {
    const LinkClass& of_link = classes_[class_of_link_[link]];
    const LinkShare &one = sum_[link], &first = sum_[of_link.first];
    is_even &= touched_of_class_[class_of_link_[link]] == of_link.size && one.weight == first.weight &&
               one.flows == first.flows;
  }
  for (const machine::LinkId link : touched_) touched_of_class_[class_of_link_[link]] = 0;
  return is_even;
}

bool FoldedLinks::refine_classes() {
  if (is_hopeless_) return false;
  const std::size_t links_before = classes_.size();
  const std::set<std::uint32_t> groups(groups_.begin(), groups_.end());
  std::vector<std::uint32_t>& lines = groups_;
  std::size_t classes = 0;
  int rounds = 0;
  for (std::size_t before = ~std::size_t{0}; classes != before; ++rounds) {
    if (rounds == kMostRounds) return false;
    before = classes;
    std::vector<std::uint64_t> of_lines(lines.size()), of_links(class_of_link_.size());
    for (const Load& load : loads_)
      of_lines[load.line] += mixed({load.kind, class_of_link_[load.share.link], bits(load.share.weight)});
    const std::uint32_t line_classes = tell_apart(of_lines, lines);
    for (const Load& load : loads_)
      of_links[load.share.link] += mixed({load.kind, lines[load.line], bits(load.share.weight)});
    classes = line_classes + tell_apart(of_links, class_of_link_);
  }
  number_links();
  std::uint32_t most = 0;
  for (const auto& [line, number] : number_of_line_) {
    class_of_line_[line] = lines[number];
    most = std::max(most, lines[number] + 1);
  }
  const bool are_finer = most > groups.size() || classes_.size() > links_before;
  return are_finer && 2 * std::size_t{most} <= lines.size();
}

}  // namespace orrery::simulate

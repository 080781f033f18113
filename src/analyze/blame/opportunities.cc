#include "analyze/blame/opportunities.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "analyze/blame/ideal_job.h"
#include "analyze/distribution.h"
#include "analyze/whatif/edit_language.h"
#include "causal/edge_kind.h"
#include "graph/scaled_classes.h"

// Every edge gets the number of its opportunity; then all questions are scalings of classes, which one solver answers
// many at a time: each alone, free and 10 % faster, the best five in pairs, and the greedy order of these five. Last,
// groups that hide behind each other are made faster together, and ranks are made typical one by one.

namespace orrery::analyze {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet opportunities_sheet(const causal::CausalGraph& job, const Opportunities& opportunities) {
  Sheet sheet("levers");
  sheet.add({.name = "scope"})
      .add({.name = "select", .title = "opportunity"})
      .add({.name = "kind"})
      .add({.name = "name"})
      .add({.name = "what"})
      .add({.name = "group"})
      .add({.name = "total", .type = Type::time, .unit = Unit::us, .title = "total"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on path"})
      .add({.name = "derivative", .type = Type::real, .title = "derivative"})
      .add({.name = "gain_if_free", .type = Type::time, .unit = Unit::us, .title = "gain if free"})
      .add({.name = "gain_10pct", .type = Type::time, .unit = Unit::us, .title = "10 % faster"});
  const auto text = [&](StringId id) { return id == 0 ? Cell(nullptr) : Cell(job.strings.text(id)); };
  const auto time = [](const std::optional<TimePs>& gain) { return gain ? Cell(*gain) : Cell(nullptr); };
  for (const Opportunity& opportunity : opportunities.all) {
    const bool is_group = opportunity.scope == OpportunityScope::group;
    const char* const kind = causal::is_idle(opportunity.kind)
                                 ? "idle"
                                 : identifier(opportunity.kind);  // of threads and devices, one sort of gap
    sheet.add_row({identifier(opportunity.scope), opportunity.select, kind, text(opportunity.name),
                   text(opportunity.what), is_group ? Cell(job.strings.text(opportunity.group)) : Cell(nullptr),
                   opportunity.total, opportunity.on_path, opportunity.derivative(), time(opportunity.gain_if_free),
                   time(opportunity.gain_10pct)});
  }
  return sheet;
}

Sheet rank_gains_sheet(const causal::CausalGraph& job, const Opportunities& opportunities) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "gain_if_typical", .type = Type::time, .unit = Unit::us, .title = "gain if typical"});
  for (const RankGain& gain : opportunities.ranks) sheet.add_row({job.ranks[gain.rank].rank, gain.gain_if_typical});
  return sheet;
}

Sheet opportunity_pairs_sheet(const Opportunities& opportunities) {
  Sheet sheet("pairs");
  sheet.add({.name = "a", .title = "10 % faster"})
      .add({.name = "b", .title = "and"})
      .add({.name = "gain_both", .type = Type::time, .unit = Unit::us, .title = "gain"})
      .add({.name = "overlap", .type = Type::time, .unit = Unit::us, .title = "overlap"});
  for (const OpportunityPair& pair : opportunities.pairs)
    sheet.add_row({opportunities.all[pair.a].select, opportunities.all[pair.b].select, pair.gain_both, pair.overlap});
  return sheet;
}

Sheet opportunity_order_sheet(const Opportunities& opportunities) {
  Sheet sheet("order");
  sheet.add({.name = "select", .title = "in this order, each 10 % faster"})
      .add({.name = "gain", .type = Type::time, .unit = Unit::us, .title = "adds"})
      .add({.name = "total_gain", .type = Type::time, .unit = Unit::us, .title = "in all"});
  for (const OpportunityStep& step : opportunities.order)
    sheet.add_row({opportunities.all[step.opportunity].select, step.gain, step.total_gain});
  return sheet;
}

Sheet opportunity_unions_sheet(const causal::CausalGraph& job, const Opportunities& opportunities) {
  Sheet sheet("unions");
  sheet.add({.name = "select", .title = "groups that are alike, together"})
      .add({.name = "what"})
      .add({.name = "groups", .type = Type::integer, .title = "groups"})
      .add({.name = "members", .type = Type::integer, .title = "of"})
      .add({.name = "total", .type = Type::time, .unit = Unit::us, .title = "total"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on path"})
      .add({.name = "gain_if_free", .type = Type::time, .unit = Unit::us, .title = "gain if free"})
      .add({.name = "alone_if_free", .type = Type::time, .unit = Unit::us, .title = "one by one"})
      .add({.name = "gain_10pct", .type = Type::time, .unit = Unit::us, .title = "10 % faster"})
      .add({.name = "alone_10pct", .type = Type::time, .unit = Unit::us, .title = "one by one"});
  for (const OpportunityUnion& all : opportunities.unions) {
    sheet.add_row({all.select, job.strings.text(all.what), all.groups, all.members, all.total, all.on_path,
                   all.gain_if_free, all.alone_if_free, all.gain_10pct, all.alone_10pct});
  }
  return sheet;
}

namespace {

using causal::EdgeKind;

constexpr std::uint32_t kNoOpportunity = graph::kNoClass;

/// kernel:"gemm"; of steps, whose class has no number, untraced:"ProfilerStep#*".
std::string selection_of_work(EdgeKind kind, std::string_view name, bool numbered) {
  const std::string word(word_of(kind));
  if (!numbered) return word + ":" + exact_pattern(name);
  // A pattern that is none of a glob already is made one by what the number may be.
  std::string pattern = exact_pattern(name);
  // In front of what closes the pattern: "/" and "$" of an expression, a quote of a name.
  pattern.insert(pattern.size() - (pattern.front() == '/' ? 2 : 1), pattern.front() == '/' ? "\\d+" : "*");
  return word + ":" + pattern;
}

}  // namespace

const char* identifier(OpportunityScope scope) {
  static constexpr const char* kNames[] = {"op", "group", "gap"};
  return kNames[static_cast<std::size_t>(scope)];
}

/// Gives every edge its opportunity, making opportunities as they appear.
class OpportunityTable::Numbering {
 public:
  Numbering(const causal::CausalGraph& job, std::vector<Opportunity>& opportunities)
      : job_(job),
        opportunities_(opportunities),
        // A plain table of kinds times names, since it is asked for every edge.
        of_class_(causal::kJobEdgeKinds * job.strings.size(), kNoOpportunity),
        of_operation_(job.operations.size(), kNoOpportunity) {
    for (std::size_t kind = 0; kind < causal::kJobEdgeKinds; ++kind) {
      is_gap_[kind] = !gap_word_of(static_cast<EdgeKind>(kind)).empty();
      is_work_[kind] = !word_of(static_cast<EdgeKind>(kind)).empty();
    }
    std::map<std::pair<StringId, StringId>, std::uint32_t> of_group;
    for (std::size_t o = 0; o < job.operations.size(); ++o) {
      const causal::JobOperation& operation = job.operations[o];
      const auto [at, is_new] =
          of_group.try_emplace({operation.what, operation.group}, static_cast<std::uint32_t>(opportunities_.size()));
      if (is_new) add_group(operation);
      of_operation_[o] = at->second;
    }
  }

  std::uint32_t of(graph::Slot slot) {
    const EdgeKind kind = job_.kind(slot);
    if (job_.is_transfer(slot)) return of_operation_[job_.parts[job_.part_of(job_.graph.source(slot))].operation];
    const auto number = static_cast<std::size_t>(kind);
    if (is_gap_[number] != 0) return of_gap(kind);
    if (is_work_[number] == 0)
      return kNoOpportunity;  // order and arrivals cost nothing, and when a rank begins is not its work
    const causal::PieceClass piece = job_.class_of(slot);
    std::uint32_t& opportunity = of_class_[number * job_.strings.size() + piece.name];
    if (opportunity == kNoOpportunity) opportunity = add_class(piece, is_numbered(slot, piece));
    return opportunity;
  }

 private:
  /// A class of steps has a name without the number that each step has. Work of a captured graph may be classed by its
  /// operator, whose name stands for itself.
  [[nodiscard]] bool is_numbered(graph::Slot slot, const causal::PieceClass& piece) const {
    if (piece.name == 0) return false;
    const causal::Owner& owner = job_.owners[job_.graph.edge_tag(slot)];
    return owner.name != piece.name && owner.device < 0;
  }

  void add_group(const causal::JobOperation& operation) {
    Opportunity opportunity{.scope = OpportunityScope::group,
                            .kind = EdgeKind::communication,
                            .what = operation.what,
                            .group = operation.group};
    const std::string_view what = job_.strings.text(operation.what);
    opportunity.select = fmt::format("group:{} {}", exact_pattern(job_.strings.text(operation.group)),
                                     what == "p2p" ? std::string(what) : fmt::format("collective:{}", what));
    opportunities_.push_back(std::move(opportunity));
  }

  std::uint32_t add_class(const causal::PieceClass& piece, bool numbered) {
    Opportunity opportunity{.scope = OpportunityScope::op, .kind = piece.kind, .name = piece.name};
    opportunity.select = selection_of_work(piece.kind, job_.strings.text(piece.name), numbered);
    // What found no partners may be called like what did. One rank alone has no partners, and edits of it know no
    // groups.
    if (piece.kind == EdgeKind::communication && job_.ranks.size() > 1)
      opportunity.select = "group:\"\" " + opportunity.select;
    opportunities_.push_back(std::move(opportunity));
    return static_cast<std::uint32_t>(opportunities_.size() - 1);
  }

  std::uint32_t of_gap(EdgeKind kind) {
    // Gaps have no name: the first place of their kind.
    std::uint32_t& opportunity = of_class_[static_cast<std::size_t>(kind) * job_.strings.size()];
    if (opportunity != kNoOpportunity) return opportunity;
    const std::string_view word = gap_word_of(kind);
    for (std::uint32_t other = 0; other < opportunities_.size(); ++other) {  // two kinds are one sort: idle
      if (opportunities_[other].scope == OpportunityScope::gap && gap_word_of(opportunities_[other].kind) == word)
        return opportunity = other;
    }
    opportunity = static_cast<std::uint32_t>(opportunities_.size());
    opportunities_.push_back({.scope = OpportunityScope::gap, .kind = kind, .select = fmt::format("gap:{}", word)});
    return opportunity;
  }

  const causal::CausalGraph& job_;
  std::vector<Opportunity>& opportunities_;
  Column<std::uint32_t> of_class_;
  std::vector<std::uint32_t> of_operation_;
  std::array<std::uint8_t, causal::kJobEdgeKinds> is_gap_{}, is_work_{};
};

OpportunityTable::OpportunityTable(const causal::CausalGraph& job, const graph::Path& path)
    : opportunity_of_(job.graph.edge_count()) {
  Numbering numbering(job, opportunities_);
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    opportunity_of_[slot] = numbering.of(slot);
    // Parts of an event are counted where the whole is.
    if (opportunity_of_[slot] == kNoOpportunity || causal::is_part(job, slot)) continue;
    TimePs& total = opportunities_[opportunity_of_[slot]].total;
    total = plus_capped(total, job.graph.weight(slot));
  }
  for (const graph::Slot slot : path.slots) {
    if (opportunity_of_[slot] == kNoOpportunity) continue;
    TimePs& on_path = opportunities_[opportunity_of_[slot]].on_path;
    on_path = plus_capped(on_path, job.graph.weight(slot));
  }
}

namespace {

// 10 percent faster: a saving that somebody could make, small enough for the path to stay in sight.
constexpr double kFaster = 0.9;
// Ten pairs, and an order that one can read.
constexpr std::size_t kBest = 5;
// Each takes a solve of the whole job; with more ranks only those are asked that do most of what is on the path.
constexpr std::size_t kRanks = 64;

using Set = std::vector<std::uint32_t>;  // of opportunities

/// How long the job takes if all opportunities of a set are 10 % faster; for each set.
std::vector<TimePs> lengths_if_faster(const causal::CausalGraph& job, const std::vector<Set>& sets,
                                      graph::ScaledLengths& solver) {
  std::vector<graph::Scaling> scenarios;
  for (const Set& set : sets) {
    graph::Scaling& scenario = scenarios.emplace_back();
    for (const std::uint32_t opportunity : set) scenario.push_back({opportunity, kFaster});
  }
  return solver.solve(scenarios, job.end);
}

/// Opportunities with time on the path, at most so many: those with most of it. The others are marked as not solved.
Set opportunities_to_solve(std::vector<Opportunity>& opportunities, std::size_t most) {
  Set on_path;
  for (std::uint32_t opportunity = 0; opportunity < opportunities.size(); ++opportunity) {
    if (opportunities[opportunity].on_path != 0) on_path.push_back(opportunity);
  }
  if (on_path.size() <= most) return on_path;
  std::sort(on_path.begin(), on_path.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Opportunity &x = opportunities[a], &y = opportunities[b];
    return x.on_path != y.on_path ? x.on_path > y.on_path : x.select < y.select;
  });
  for (std::size_t i = most; i < on_path.size(); ++i)
    opportunities[on_path[i]].gain_if_free = opportunities[on_path[i]].gain_10pct = std::nullopt;
  on_path.resize(most);
  return on_path;
}

void measure_gains(const causal::CausalGraph& job, TimePs length, std::size_t most_solved,
                   std::vector<Opportunity>& opportunities, graph::ScaledLengths& solver) {
  const Set on_path = opportunities_to_solve(opportunities, most_solved);
  std::vector<graph::Scaling> scenarios;
  for (const std::uint32_t opportunity : on_path) {
    // Two scenarios for each, side by side, so that one call solves all of them.
    scenarios.push_back({{opportunity, 0.0}});
    scenarios.push_back({{opportunity, kFaster}});
  }
  const std::vector<TimePs> lengths = solver.solve(scenarios, job.end);
  for (std::size_t i = 0; i < on_path.size(); ++i) {
    opportunities[on_path[i]].gain_if_free = length - lengths[2 * i];
    opportunities[on_path[i]].gain_10pct = length - lengths[2 * i + 1];
  }
}

/// The five that save most by 10 %, the best first.
Set best_opportunities(const std::vector<Opportunity>& opportunities) {
  Set best(opportunities.size());
  std::iota(best.begin(), best.end(), 0);
  std::erase_if(best,
                [&](std::uint32_t opportunity) { return opportunities[opportunity].gain_10pct.value_or(0) <= 0; });
  std::sort(best.begin(), best.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (opportunities[a].gain_10pct != opportunities[b].gain_10pct)
      return opportunities[a].gain_10pct > opportunities[b].gain_10pct;
    return opportunities[a].select < opportunities[b].select;
  });
  best.resize(std::min(best.size(), kBest));
  return best;
}

std::vector<OpportunityPair> find_pairs(const causal::CausalGraph& job, TimePs length, const OpportunityTable& table,
                                        const Set& best, graph::ScaledLengths& solver) {
  std::vector<Set> sets;
  for (std::size_t a = 0; a < best.size(); ++a) {
    for (std::size_t b = a + 1; b < best.size(); ++b) sets.push_back({best[a], best[b]});
  }
  const std::vector<TimePs> lengths = lengths_if_faster(job, sets, solver);
  std::vector<OpportunityPair> pairs;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const TimePs both = length - lengths[i];
    // What both save alone counts the time twice in which each covers for the other.
    const TimePs alone = *table.opportunities()[sets[i][0]].gain_10pct + *table.opportunities()[sets[i][1]].gain_10pct;
    pairs.push_back({sets[i][0], sets[i][1], both, alone - both});
  }
  return pairs;
}

/// Each time the opportunity that adds most to those before it; of equals the one that saves more alone. The first two
/// are known from the gains of opportunities and pairs.
std::vector<OpportunityStep> find_order(const causal::CausalGraph& job, TimePs length, const OpportunityTable& table,
                                        const std::vector<OpportunityPair>& pairs, Set left,
                                        graph::ScaledLengths& solver) {
  const auto gains_with = [&](const Set& taken) {
    std::vector<TimePs> gains;
    if (taken.empty()) {
      for (const std::uint32_t opportunity : left) gains.push_back(*table.opportunities()[opportunity].gain_10pct);
    } else if (taken.size() == 1) {
      for (const std::uint32_t opportunity : left) {
        const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const OpportunityPair& p) {
          return (p.a == opportunity && p.b == taken[0]) || (p.b == opportunity && p.a == taken[0]);
        });
        gains.push_back(pair->gain_both);
      }
    } else {
      std::vector<Set> sets;
      for (const std::uint32_t opportunity : left) sets.emplace_back(taken).push_back(opportunity);
      for (const TimePs faster : lengths_if_faster(job, sets, solver)) gains.push_back(length - faster);
    }
    return gains;
  };
  std::vector<OpportunityStep> order;
  Set taken;
  for (TimePs total = 0; !left.empty();) {
    const std::vector<TimePs> gains = gains_with(taken);
    // The first of equal ones: `left` is sorted by what each saves alone.
    const auto best = std::max_element(gains.begin(), gains.end());
    const std::uint32_t opportunity = left[static_cast<std::size_t>(best - gains.begin())];
    order.push_back({opportunity, *best - total, *best});
    total = *best;
    taken.push_back(opportunity);
    std::erase(left, opportunity);
  }
  return order;
}

/// An edit's selection of some groups: those that found partners if it is all of them, else by their names.
std::string selection_of_groups(const causal::CausalGraph& job, StringId what, const std::vector<StringId>& groups,
                                bool are_all) {
  // "." is any name, that is, any but the empty one of what found no partners.
  std::string pattern = are_all ? "." : "";
  for (std::size_t i = 0; i < groups.size() && !are_all; ++i) {
    const std::string_view name = job.strings.text(groups[i]);
    pattern += fmt::format("{}{}", i == 0 ? "^(" : "|", RE2::QuoteMeta(re2::StringPiece(name.data(), name.size())));
  }
  const std::string_view kind = job.strings.text(what);
  return fmt::format("group:/{}{}/ {}", pattern, are_all ? "" : ")$",
                     kind == "p2p" ? std::string(kind) : fmt::format("collective:{}", kind));
}

/// Before opportunities change their places: classes of the solver are opportunities.
std::vector<OpportunityUnion> find_unions(const causal::CausalGraph& job, TimePs length,
                                          const std::vector<Opportunity>& opportunities, graph::ScaledLengths& solver) {
  std::map<std::pair<StringId, StringId>, std::uint32_t> members_of_group;
  for (const causal::JobOperation& operation : job.operations)
    members_of_group[{operation.what, operation.group}] = operation.members;
  std::map<std::pair<StringId, std::uint32_t>, Set> alike;
  std::map<StringId, std::size_t> groups_of_kind;
  for (std::uint32_t opportunity = 0; opportunity < opportunities.size(); ++opportunity) {
    if (opportunities[opportunity].scope != OpportunityScope::group) continue;
    alike[{opportunities[opportunity].what,
           members_of_group.at({opportunities[opportunity].what, opportunities[opportunity].group})}]
        .push_back(opportunity);
    ++groups_of_kind[opportunities[opportunity].what];
  }
  std::vector<OpportunityUnion> unions;
  std::vector<graph::Scaling> scenarios;
  for (const auto& [key, set] : alike) {
    // One group alone has nothing to hide behind.
    if (set.size() < 2) continue;
    OpportunityUnion& all = unions.emplace_back();
    all.what = key.first;
    all.members = key.second;
    all.groups = static_cast<std::uint32_t>(set.size());
    graph::Scaling free, faster;
    std::vector<StringId> groups;
    for (const std::uint32_t opportunity : set) {
      all.total = plus_capped(all.total, opportunities[opportunity].total);
      all.on_path = plus_capped(all.on_path, opportunities[opportunity].on_path);
      all.alone_if_free += opportunities[opportunity].gain_if_free.value_or(0);
      all.alone_10pct += opportunities[opportunity].gain_10pct.value_or(0);
      free.push_back({opportunity, 0.0});
      faster.push_back({opportunity, kFaster});
      groups.push_back(opportunities[opportunity].group);
    }
    all.select = selection_of_groups(job, all.what, groups, set.size() == groups_of_kind[all.what]);
    scenarios.push_back(std::move(free));
    scenarios.push_back(std::move(faster));
  }
  const std::vector<TimePs> lengths = solver.solve(scenarios, job.end);
  for (std::size_t i = 0; i < unions.size(); ++i) {
    unions[i].gain_if_free = length - lengths[2 * i];
    unions[i].gain_10pct = length - lengths[2 * i + 1];
  }
  // What saves no more together than one by one says nothing new.
  std::erase_if(unions, [](const OpportunityUnion& all) {
    return all.gain_if_free <= all.alone_if_free && all.gain_10pct <= all.alone_10pct;
  });
  std::sort(unions.begin(), unions.end(), [](const OpportunityUnion& a, const OpportunityUnion& b) {
    return a.gain_if_free != b.gain_if_free ? a.gain_if_free > b.gain_if_free : a.select < b.select;
  });
  return unions;
}

/// Ranks whose gain is worth asking for, ascending.
std::vector<std::uint32_t> ranks_to_ask(const causal::CausalGraph& job, const graph::Path& path) {
  std::vector<std::uint32_t> ranks(job.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  if (ranks.size() <= kRanks) return ranks;
  std::vector<TimePs> on_path(job.ranks.size(), 0);
  for (const graph::Slot slot : path.slots) {
    // Waiting for others is nothing that a rank could do faster.
    if (const std::uint32_t rank = job.rank_of(slot); rank != causal::kNoRank && is_work(job.kind(slot)))
      on_path[rank] += job.graph.weight(slot);
  }
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return on_path[a] > on_path[b]; });
  ranks.resize(kRanks);
  std::erase_if(ranks, [&](std::uint32_t rank) { return on_path[rank] == 0; });
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

/// Opportunities change their places: those that others speak of, too.
void sort_opportunities(Opportunities& opportunities) {
  std::vector<std::uint32_t> order(opportunities.all.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Opportunity &x = opportunities.all[a], &y = opportunities.all[b];
    if (x.gain_if_free.value_or(0) != y.gain_if_free.value_or(0))
      return x.gain_if_free.value_or(0) > y.gain_if_free.value_or(0);
    if (x.on_path != y.on_path) return x.on_path > y.on_path;
    return x.total != y.total ? x.total > y.total : x.select < y.select;
  });
  std::vector<Opportunity> sorted;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(opportunities.all[order[i]]));
  }
  opportunities.all = std::move(sorted);
  for (OpportunityPair& pair : opportunities.pairs) pair.a = place[pair.a], pair.b = place[pair.b];
  for (OpportunityStep& step : opportunities.order) step.opportunity = place[step.opportunity];
}

}  // namespace

Opportunities find_opportunities(const causal::CausalGraph& job, std::size_t most_solved) {
  Opportunities result;
  const graph::Path path = [&] {
    const graph::Solution solution = graph::solve(job.graph, job.end);
    result.length = solution.length();
    return solution.path();
  }();
  // In a block of its own, so that the memory of the solver is given back before ranks are asked.
  {
    OpportunityTable table(job, path);
    graph::ScaledLengths solver(job.graph, table.opportunity_of(), table.opportunities().size());
    measure_gains(job, result.length, most_solved, table.opportunities(), solver);
    const Set best = best_opportunities(table.opportunities());
    result.pairs = find_pairs(job, result.length, table, best, solver);
    result.order = find_order(job, result.length, table, result.pairs, best, solver);
    result.unions = find_unions(job, result.length, table.opportunities(), solver);
    result.all = std::move(table.opportunities());
  }
  // Now: what pairs and orders speak of was numbered as the solver's classes are.
  sort_opportunities(result);
  while (!result.all.empty() && result.all.back().total == 0)
    result.all.pop_back();  // what takes no time at all is no opportunity
  const std::vector<std::uint32_t> ranks = ranks_to_ask(job, path);
  const std::vector<TimePs> lengths = lengths_with_one_ideal(job, TypicalWork(job), ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) result.ranks.push_back({ranks[i], result.length - lengths[i]});
  return result;
}

}  // namespace orrery::analyze

#include "analyze/blame/levers.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analyze/blame/ideal_job.h"
#include "analyze/distribution.h"
#include "graph/scaled_classes.h"

namespace orrery::analyze {
namespace {

constexpr double kFaster = 0.9;
constexpr std::size_t kBest = 5;
constexpr std::size_t kRanks = 64;

using Set = std::vector<std::uint32_t>;  // of levers

/// How long the job takes if all levers of a set are 10 % faster; for each set.
std::vector<TimePs> lengths_if_faster(const causal::CausalGraph& job, const std::vector<Set>& sets,
                                      graph::ScaledLengths& solver) {
  std::vector<graph::Scaling> scenarios;
  for (const Set& set : sets) {
    graph::Scaling& scenario = scenarios.emplace_back();
    for (const std::uint32_t lever : set) scenario.push_back({lever, kFaster});
  }
  return solver.solve(scenarios, job.end);
}

/// Levers with time on the path, at most so many: those with most of it. The others are marked as not solved.
Set levers_to_solve(std::vector<Lever>& levers, std::size_t most) {
  Set on_path;
  for (std::uint32_t lever = 0; lever < levers.size(); ++lever) {
    if (levers[lever].on_path != 0) on_path.push_back(lever);
  }
  if (on_path.size() <= most) return on_path;
  std::sort(on_path.begin(), on_path.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Lever &x = levers[a], &y = levers[b];
    return x.on_path != y.on_path ? x.on_path > y.on_path : x.select < y.select;
  });
  for (std::size_t i = most; i < on_path.size(); ++i)
    levers[on_path[i]].gain_if_free = levers[on_path[i]].gain_10pct = std::nullopt;
  on_path.resize(most);
  return on_path;
}

void measure_gains(const causal::CausalGraph& job, TimePs length, std::size_t most_solved, std::vector<Lever>& levers,
                   graph::ScaledLengths& solver) {
  const Set on_path = levers_to_solve(levers, most_solved);
  std::vector<graph::Scaling> scenarios;
  for (const std::uint32_t lever : on_path) {
    scenarios.push_back({{lever, 0.0}});
    scenarios.push_back({{lever, kFaster}});
  }
  const std::vector<TimePs> lengths = solver.solve(scenarios, job.end);
  for (std::size_t i = 0; i < on_path.size(); ++i) {
    levers[on_path[i]].gain_if_free = length - lengths[2 * i];
    levers[on_path[i]].gain_10pct = length - lengths[2 * i + 1];
  }
}

/// The five that save most by 10 %, the best first.
Set best_levers(const std::vector<Lever>& levers) {
  Set best(levers.size());
  std::iota(best.begin(), best.end(), 0);
  std::erase_if(best, [&](std::uint32_t lever) { return levers[lever].gain_10pct.value_or(0) <= 0; });
  std::sort(best.begin(), best.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (levers[a].gain_10pct != levers[b].gain_10pct) return levers[a].gain_10pct > levers[b].gain_10pct;
    return levers[a].select < levers[b].select;
  });
  best.resize(std::min(best.size(), kBest));
  return best;
}

std::vector<LeverPair> find_pairs(const causal::CausalGraph& job, TimePs length, const LeverTable& table,
                                  const Set& best, graph::ScaledLengths& solver) {
  std::vector<Set> sets;
  for (std::size_t a = 0; a < best.size(); ++a) {
    for (std::size_t b = a + 1; b < best.size(); ++b) sets.push_back({best[a], best[b]});
  }
  const std::vector<TimePs> lengths = lengths_if_faster(job, sets, solver);
  std::vector<LeverPair> pairs;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const TimePs both = length - lengths[i];
    const TimePs alone = *table.levers()[sets[i][0]].gain_10pct + *table.levers()[sets[i][1]].gain_10pct;
    pairs.push_back({sets[i][0], sets[i][1], both, alone - both});
  }
  return pairs;
}

/// Each time the lever that adds most to those before it; of equals the one that saves more alone. The first two are
/// known from the gains of levers and pairs.
std::vector<LeverStep> find_order(const causal::CausalGraph& job, TimePs length, const LeverTable& table,
                                  const std::vector<LeverPair>& pairs, Set left, graph::ScaledLengths& solver) {
  const auto gains_with = [&](const Set& taken) {
    std::vector<TimePs> gains;
    if (taken.empty()) {
      for (const std::uint32_t lever : left) gains.push_back(*table.levers()[lever].gain_10pct);
    } else if (taken.size() == 1) {
      for (const std::uint32_t lever : left) {
        const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const LeverPair& p) {
          return (p.a == lever && p.b == taken[0]) || (p.b == lever && p.a == taken[0]);
        });
        gains.push_back(pair->gain_both);
      }
    } else {
      std::vector<Set> sets;
      for (const std::uint32_t lever : left) sets.emplace_back(taken).push_back(lever);
      for (const TimePs faster : lengths_if_faster(job, sets, solver)) gains.push_back(length - faster);
    }
    return gains;
  };
  std::vector<LeverStep> order;
  Set taken;
  for (TimePs total = 0; !left.empty();) {
    const std::vector<TimePs> gains = gains_with(taken);
    const auto best = std::max_element(gains.begin(), gains.end());
    const std::uint32_t lever = left[static_cast<std::size_t>(best - gains.begin())];
    order.push_back({lever, *best - total, *best});
    total = *best;
    taken.push_back(lever);
    std::erase(left, lever);
  }
  return order;
}

/// An edit's selection of some groups: those that found partners if it is all of them, else by their names.
std::string selection_of_groups(const causal::CausalGraph& job, StringId what, const std::vector<StringId>& groups,
                                bool are_all) {
  std::string pattern = are_all ? "." : "";
  for (std::size_t i = 0; i < groups.size() && !are_all; ++i) {
    const std::string_view name = job.strings.text(groups[i]);
    pattern += fmt::format("{}{}", i == 0 ? "^(" : "|", RE2::QuoteMeta(re2::StringPiece(name.data(), name.size())));
  }
  const std::string_view kind = job.strings.text(what);
  return fmt::format("group:/{}{}/ {}", pattern, are_all ? "" : ")$",
                     kind == "p2p" ? std::string(kind) : fmt::format("collective:{}", kind));
}

/// Before levers change their places: classes of the solver are levers.
std::vector<LeverUnion> find_unions(const causal::CausalGraph& job, TimePs length, const std::vector<Lever>& levers,
                                    graph::ScaledLengths& solver) {
  std::map<std::pair<StringId, StringId>, std::uint32_t> members_of_group;
  for (const causal::JobOperation& operation : job.operations)
    members_of_group[{operation.what, operation.group}] = operation.members;
  std::map<std::pair<StringId, std::uint32_t>, Set> alike;
  std::map<StringId, std::size_t> groups_of_kind;
  for (std::uint32_t lever = 0; lever < levers.size(); ++lever) {
    if (levers[lever].scope != LeverScope::group) continue;
    alike[{levers[lever].what, members_of_group.at({levers[lever].what, levers[lever].group})}].push_back(lever);
    ++groups_of_kind[levers[lever].what];
  }
  std::vector<LeverUnion> unions;
  std::vector<graph::Scaling> scenarios;
  for (const auto& [key, set] : alike) {
    if (set.size() < 2) continue;
    LeverUnion& all = unions.emplace_back();
    all.what = key.first;
    all.members = key.second;
    all.groups = static_cast<std::uint32_t>(set.size());
    graph::Scaling free, faster;
    std::vector<StringId> groups;
    for (const std::uint32_t lever : set) {
      all.total = plus_capped(all.total, levers[lever].total);
      all.on_path = plus_capped(all.on_path, levers[lever].on_path);
      all.alone_if_free += levers[lever].gain_if_free.value_or(0);
      all.alone_10pct += levers[lever].gain_10pct.value_or(0);
      free.push_back({lever, 0.0});
      faster.push_back({lever, kFaster});
      groups.push_back(levers[lever].group);
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
  std::erase_if(unions, [](const LeverUnion& all) {
    return all.gain_if_free <= all.alone_if_free && all.gain_10pct <= all.alone_10pct;
  });
  std::sort(unions.begin(), unions.end(), [](const LeverUnion& a, const LeverUnion& b) {
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

/// Levers change their places: those that others speak of, too.
void sort_levers(Levers& levers) {
  std::vector<std::uint32_t> order(levers.all.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Lever &x = levers.all[a], &y = levers.all[b];
    if (x.gain_if_free.value_or(0) != y.gain_if_free.value_or(0))
      return x.gain_if_free.value_or(0) > y.gain_if_free.value_or(0);
    if (x.on_path != y.on_path) return x.on_path > y.on_path;
    return x.total != y.total ? x.total > y.total : x.select < y.select;
  });
  std::vector<Lever> sorted;
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(levers.all[order[i]]));
  }
  levers.all = std::move(sorted);
  for (LeverPair& pair : levers.pairs) pair.a = place[pair.a], pair.b = place[pair.b];
  for (LeverStep& step : levers.order) step.lever = place[step.lever];
}

}  // namespace

Levers find_levers(const causal::CausalGraph& job, std::size_t most_solved) {
  Levers result;
  const graph::Path path = [&] {
    const graph::Solution solution = graph::solve(job.graph, job.end);
    result.length = solution.length();
    return solution.path();
  }();
  {
    LeverTable table(job, path);
    graph::ScaledLengths solver(job.graph, table.lever_of(), table.levers().size());
    measure_gains(job, result.length, most_solved, table.levers(), solver);
    const Set best = best_levers(table.levers());
    result.pairs = find_pairs(job, result.length, table, best, solver);
    result.order = find_order(job, result.length, table, result.pairs, best, solver);
    result.unions = find_unions(job, result.length, table.levers(), solver);
    result.all = std::move(table.levers());
  }
  sort_levers(result);
  while (!result.all.empty() && result.all.back().total == 0)
    result.all.pop_back();  // what takes no time at all is no lever
  const std::vector<std::uint32_t> ranks = ranks_to_ask(job, path);
  const std::vector<TimePs> lengths = lengths_with_one_ideal(job, TypicalWork(job), ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) result.ranks.push_back({ranks[i], result.length - lengths[i]});
  return result;
}

}  // namespace orrery::analyze

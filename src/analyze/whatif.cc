#include "analyze/whatif.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "graph/solve_many.h"

namespace orrery::analyze {
namespace {

// Every group counts here, not only the largest.
constexpr std::size_t kAllContributors = ~std::size_t{0};

std::vector<Move> find_moves(const StepPath& before, const StepPath& after, std::size_t top) {
  std::map<std::pair<link::EdgeKind, StringId>, Move> moves;
  for (const Contributor& c : before.contributors) moves[{c.kind, c.name}] = {c.kind, c.name, c.on_path, 0};
  for (const Contributor& c : after.contributors) {
    Move& move = moves[{c.kind, c.name}];
    move.kind = c.kind;
    move.name = c.name;
    move.after = c.on_path;
  }
  std::vector<Move> all;
  all.reserve(moves.size());
  for (const auto& [key, move] : moves) all.push_back(move);
  return largest_moves(std::move(all), top);
}

}  // namespace

std::vector<Move> largest_moves(std::vector<Move> moves, std::size_t top) {
  std::erase_if(moves, [](const Move& move) { return move.before == move.after; });
  // What left the path and what came onto it count alike.
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move& a, const Move& b) { return std::llabs(a.after - a.before) > std::llabs(b.after - b.before); });
  moves.resize(std::min(moves.size(), top));
  return moves;
}

WhatIf what_if(const link::StepGraph& step, const std::vector<EditRule>& rules, std::size_t top) {
  graph::Edits edits(step.graph);
  std::vector<std::uint64_t> matched = apply(step, rules, edits);
  WhatIf result{take_path(step, graph::solve(step.graph, step.end), kAllContributors, false),
                take_path(step, graph::solve(edits, step.end), kAllContributors, false),
                std::move(matched),
                {}};
  result.moves = find_moves(result.before, result.after, top);
  return result;
}

double change_percent(TimePs before, TimePs after) {
  return before == 0 ? 0 : 100.0 * (static_cast<double>(after) / static_cast<double>(before) - 1.0);
}

std::vector<SweepPoint> sweep(const link::StepGraph& step, const std::vector<EditRule>& rules, const std::vector<double>& factors) {
  std::vector<graph::Edits> scenarios;
  for (const double factor : factors) apply(step, rules, scenarios.emplace_back(step.graph), factor);
  std::vector<SweepPoint> points;
  const std::vector<graph::Solution> solved = graph::solve_many(scenarios, step.end);
  for (std::size_t i = 0; i < factors.size(); ++i) points.push_back({factors[i], take_path(step, solved[i], 0, false)});
  return points;
}

}  // namespace orrery::analyze

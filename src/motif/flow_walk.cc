#include "motif/flow_walk.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "base/linear_algebra.h"

// Counts are expectations: what enters a part is a distribution over the last call, and each part hands on another. A
// chain's visits solve a linear system, since blocks lead back to blocks; loops count their first pass apart, which
// follows something else than the others.

namespace orrery::motif {
namespace {

using Context = std::vector<std::uint32_t>;

/// The longest context that the past `history` ends with.
std::optional<std::size_t> context_after(const std::map<Context, std::size_t>& contexts, Context history) {
  for (; !history.empty(); history.erase(history.begin())) {
    if (const auto found = contexts.find(history); found != contexts.end()) return found->second;
  }
  return std::nullopt;
}

/// Whether these are numbers of visits that balance. A chain that never ends has none: its system is singular, and what
/// the solver makes of it is negative, huge or no solution.
bool are_visits(const Matrix& system, const std::vector<double>& visits, const std::vector<double>& right) {
  for (const double count : visits) {
    if (!std::isfinite(count) || count <= -1e-9 || count >= 1e12) return false;
  }
  double square = 0;
  for (const double one : residual(system, visits, right)) square += one * one;
  return std::sqrt(square) < 1e-6;
}

}  // namespace

std::vector<double> step_rates(const Flow& chain, const Scope& scope) {
  std::map<Context, std::size_t> contexts;
  for (const ChainStep& step : chain.steps) contexts.emplace(step.context, contexts.size());
  std::vector<double> laws, sums(contexts.size(), 0);
  for (const ChainStep& step : chain.steps) {
    laws.push_back(std::max(0.0, step.times.at(scope)));  // a straight line may have crossed 0 on the way here
    sums[contexts.at(step.context)] += laws.back();
  }
  // visits = entry + shares^T visits
  Matrix system = Matrix::identity(contexts.size());
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    const ChainStep& step = chain.steps[i];
    const std::size_t from = contexts.at(step.context);
    if (step.next == ChainStep::kEnd || sums[from] <= 0) continue;
    Context history = step.context;
    history.push_back(step.next);
    // A block without a step of its own is where the chain ends.
    if (const auto to = context_after(contexts, std::move(history))) system(*to, from) -= laws[i] / sums[from];
  }
  const auto entry = contexts.find({});
  if (entry == contexts.end()) return laws;
  std::vector<double> right(contexts.size(), 0);
  right[entry->second] = 1;
  const std::vector<double> visits = solve_general(system, right);
  if (!are_visits(system, visits, right)) return laws;
  std::vector<double> rates;
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    const std::size_t from = contexts.at(chain.steps[i].context);
    rates.push_back(sums[from] > 0 ? std::max(0.0, visits[from]) * laws[i] / sums[from] : 0);
  }
  return rates;
}

namespace {

/// Which call came last, and how often: what the next call follows.
using Ends = std::map<std::uint32_t, double>;

constexpr double kMostLevels = 64;  // beyond them all visits count as the last of these

double total_of(const Ends& ends) {
  double sum = 0;
  for (const auto& [site, count] : ends) sum += count;
  return sum;
}
Ends scaled(Ends ends, double by) {
  for (auto& [site, count] : ends) count *= by;
  return ends;
}
void add_ends(Ends& into, const Ends& more) {
  for (const auto& [site, count] : more) into[site] += count;
}

class FlowWalk {
 public:
  FlowWalk(FlowCounts& counts, const BytesAt& bytes) : counts_(counts), bytes_(bytes) {}

  Ends run(const Flow& flow, const Ends& from, const Scope& scope) {
    switch (flow.kind) {
      case Flow::Kind::call: return call(flow, from, scope);
      case Flow::Kind::sequence: return in_order(flow, from, scope);
      case Flow::Kind::loop: return loop(flow, from, scope);
      case Flow::Kind::chain: return chain(flow, from, scope);
    }
    return from;
  }

 private:
  Ends call(const Flow& flow, const Ends& from, const Scope& scope) {
    const double times = total_of(from);
    if (recording_) {
      for (const auto& [previous, count] : from) counts_.transitions[{previous, flow.site}] += count;
      FlowCounts::Call& use = counts_.sites[flow.site];
      use.calls += times;
      use.bytes += times * bytes_(flow.site, scope);
    }
    return {{flow.site, times}};
  }

  Ends in_order(const Flow& flow, const Ends& from, const Scope& scope) {
    Ends ends = from;
    for (const Flow& part : flow.parts) ends = run(part, ends, scope);
    return ends;
  }

  /// The first pass follows what came before the loop, the others follow its own end.
  Ends loop(const Flow& flow, const Ends& from, const Scope& scope) {
    const double trips = flow.trips.at(scope);
    if (trips <= 0) return from;
    if (trips <= 1) {
      Ends ends = in_order(flow, scaled(from, trips), scope);
      add_ends(ends, scaled(from, 1 - trips));
      return ends;
    }
    Ends ends = in_order(flow, from, scope);
    add_ends(ends, in_order(flow, scaled(ends, trips - 1), scope));
    return scaled(std::move(ends), 1 / trips);
  }

  Ends chain(const Flow& flow, const Ends& from, const Scope& scope) {
    const double entries = total_of(from);
    const std::vector<Ends> ends_of = ends_of_blocks(flow, scope);
    const std::vector<double> rates = step_rates(flow, scope);
    std::vector<Ends> entering(flow.parts.size());
    std::vector<double> visits(flow.parts.size(), 0);
    Ends leaving;
    for (std::size_t i = 0; i < flow.steps.size(); ++i) {
      const ChainStep& step = flow.steps[i];
      const double times = rates[i];
      if (times <= 0) continue;
      const Ends arriving =
          step.context.empty() ? scaled(from, times) : scaled(ends_of[step.context.back()], times * entries);
      if (step.next == ChainStep::kEnd) {
        add_ends(leaving, arriving);
        continue;
      }
      add_ends(entering[step.next], arriving);
      visits[step.next] += times;
    }
    for (std::size_t block = 0; block < flow.parts.size(); ++block)
      visit(flow.parts[block], entering[block], visits[block], scope);
    // A chain that is never left has no end to go on from.
    const double left = total_of(leaving);
    return left > 0 ? scaled(std::move(leaving), entries / left) : from;
  }

  /// All visits of a block, each with its number; that of the innermost chain counts.
  void visit(const Flow& block, const Ends& entering, double visits, const Scope& scope) {
    if (visits <= 0) return;
    if (has_chain(block)) {
      run(block, entering, scope);
      return;
    }
    const int whole = static_cast<int>(std::min(std::ceil(visits), kMostLevels));
    for (int level = 1; level <= whole; ++level) {
      const double share = level == whole ? visits - (whole - 1) : 1;
      run(block, scaled(entering, share / visits), scope.at_level(level));
    }
  }

  /// The last calls of each block, of one visit.
  std::vector<Ends> ends_of_blocks(const Flow& flow, const Scope& scope) {
    const bool before = std::exchange(recording_, false);
    std::vector<Ends> ends;
    for (const Flow& block : flow.parts) ends.push_back(run(block, {{0, 1.0}}, scope));
    recording_ = before;
    return ends;
  }

  static bool has_chain(const Flow& flow) {
    return flow.kind == Flow::Kind::chain || std::any_of(flow.parts.begin(), flow.parts.end(), has_chain);
  }

  FlowCounts& counts_;
  const BytesAt& bytes_;
  bool recording_ = true;
};

}  // namespace

FlowCounts count_flow(const Flow& flow, const Scope& scope, const BytesAt& bytes) {
  FlowCounts counts;
  FlowWalk(counts, bytes).run(flow, {{0, 1.0}}, scope);
  return counts;
}

}  // namespace orrery::motif

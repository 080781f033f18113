#include "motif/fit/chain_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "motif/fit/count_law.h"
#include "motif/flow_walk.h"

// Sequences of calls are cut into paths through the blocks of a chain. A tree of contexts grows from those paths: a
// context is split by the block before it if that explains the next block better than the numbers that it costs, by the
// Bayesian information criterion. Beside that, what a site sends is averaged by visit, relative to its run.

namespace orrery::motif::fit {
namespace {

using Path = std::vector<std::uint32_t>;  // blocks of one way through a chain, in order

// Longer pasts occur too rarely in a few runs to learn anything from them.
constexpr std::size_t kLongestContext = 4;
constexpr std::size_t kMostLevels = 8;
constexpr double kFewestPerLevel = 8;  // calls: fewer say nothing of a mean
constexpr double kNoticeable = 0.1;    // a weight nearer to 1 is noise

void collect_sites(const Flow& flow, std::set<std::uint32_t>& sites) {
  if (flow.kind == Flow::Kind::call) sites.insert(flow.site);
  for (const Flow& part : flow.parts) collect_sites(part, sites);
}

/// One call that a block made: in which run, at which place of the sequence, in which visit.
struct Visit {
  std::size_t run = 0, place = 0;
  std::uint32_t level = 0;
};

/// The ways of all runs through one chain.
class ChainPaths {
 public:
  ChainPaths(const Flow& chain, const std::vector<ClassRun>& runs) : paths_(runs.size()) {
    for (std::size_t block = 0; block < chain.parts.size(); ++block) {
      std::set<std::uint32_t> sites;
      collect_sites(chain.parts[block], sites);
      for (const std::uint32_t site : sites) block_of_.emplace(site, static_cast<std::uint32_t>(block));
      // A transition that a block makes within itself starts no new visit of it.
      const FlowCounts inside =
          count_flow(chain.parts[block], Scope(), [](std::uint32_t, const Scope&) { return 0.0; });
      for (const auto& [edge, count] : inside.transitions) {
        if (edge.first == 0) first_.insert(edge.second);
        else inner_.insert(edge);
      }
      add_loop_edges(chain.parts[block]);
    }
    for (std::size_t run = 0; run < runs.size(); ++run) follow(run, runs[run].sequence);
  }

  [[nodiscard]] const std::vector<std::vector<Path>>& paths() const { return paths_; }
  [[nodiscard]] const std::map<std::uint32_t, std::vector<Visit>>& visits() const { return visits_; }

 private:
  /// Loops may be passed once only where they were counted: their way back is inner all the same.
  void add_loop_edges(const Flow& flow) {
    for (const Flow& part : flow.parts) add_loop_edges(part);
    if (flow.kind != Flow::Kind::loop) return;
    Flow twice;
    twice.parts = flow.parts;
    twice.parts.insert(twice.parts.end(), flow.parts.begin(), flow.parts.end());
    const FlowCounts inside = count_flow(twice, Scope(), [](std::uint32_t, const Scope&) { return 0.0; });
    for (const auto& [edge, count] : inside.transitions) {
      if (edge.first != 0) inner_.insert(edge);
    }
  }

  void follow(std::size_t run, const std::vector<std::uint32_t>& sequence) {
    std::map<std::uint32_t, std::uint32_t> levels;
    bool inside = false;
    std::uint32_t current = 0;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const auto found = block_of_.find(sequence[i]);
      if (found == block_of_.end()) {
        inside = false;
        continue;
      }
      if (!inside) {
        paths_[run].emplace_back();
        levels.clear();
      }
      // Another block, or the same one from its first call on again.
      const bool begins = !inside || found->second != current ||
                          (first_.contains(sequence[i]) && !inner_.contains({sequence[i - 1], sequence[i]}));
      inside = true;
      current = found->second;
      if (begins) {
        paths_[run].back().push_back(current);
        ++levels[current];
      }
      visits_[sequence[i]].push_back({run, i, levels[current]});
    }
  }

  std::map<std::uint32_t, std::uint32_t> block_of_;
  std::set<std::uint32_t> first_;
  std::set<Edge> inner_;
  std::vector<std::vector<Path>> paths_;  // by run
  std::map<std::uint32_t, std::vector<Visit>> visits_;
};

/// What came next after a context, and in which run how often.
using NextCounts = std::map<std::uint32_t, std::vector<double>>;

class ContextTree {
 public:
  explicit ContextTree(const std::vector<std::vector<Path>>& paths) : paths_(paths) {
    for (const auto& run : paths) {
      for (const Path& path : run) steps_ += static_cast<double>(path.size() + 1);
    }
  }

  /// Contexts and what follows them; each occurrence counts under the longest context that fits it.
  std::map<Path, NextCounts> grow() {
    std::map<Path, NextCounts> chosen;
    chosen[{}] = following({}, true);
    std::set<std::uint32_t> blocks;
    for (const auto& run : paths_) {
      for (const Path& path : run) blocks.insert(path.begin(), path.end());
    }
    for (const std::uint32_t block : blocks) extend({block}, following({block}, false), blocks, chosen);
    return chosen;
  }

 private:
  [[nodiscard]] NextCounts following(const Path& context, bool at_entry) const {
    NextCounts counts;
    for (std::size_t run = 0; run < paths_.size(); ++run) {
      for (const Path& path : paths_[run]) {
        for (std::size_t i = 0; i <= path.size(); ++i) {
          const bool fits = at_entry ? i == 0
                                     : i >= context.size() &&
                                           std::equal(context.begin(), context.end(),
                                                      path.begin() + static_cast<std::ptrdiff_t>(i - context.size()));
          if (!fits) continue;
          auto& row = counts[i < path.size() ? path[i] : ChainStep::kEnd];
          row.resize(paths_.size(), 0);
          ++row[run];
        }
      }
    }
    return counts;
  }

  static double log_likelihood(const NextCounts& counts) {
    double total = 0, sum = 0;
    for (const auto& [next, row] : counts) {
      double count = 0;
      for (const double one : row) count += one;
      total += count;
      // Counts times their logarithms: the likelihood of the best probabilities, which are the shares.
      if (count > 0) sum += count * std::log(count);
    }
    return total > 0 ? sum - total * std::log(total) : 0;
  }

  static NextCounts without(NextCounts counts, const NextCounts& taken) {
    for (const auto& [next, row] : taken) {
      for (std::size_t i = 0; i < row.size(); ++i) counts[next][i] -= row[i];
    }
    std::erase_if(counts, [](const auto& one) {
      return std::all_of(one.second.begin(), one.second.end(), [](double c) { return c <= 0; });
    });
    return counts;
  }

  /// Splits a context by the block before it, where that gains more than the numbers it costs.
  void extend(const Path& context, const NextCounts& counts, const std::set<std::uint32_t>& blocks,
              std::map<Path, NextCounts>& chosen) {
    NextCounts rest = counts;
    if (context.size() < kLongestContext) {
      std::map<Path, NextCounts> longer;
      double gained = -log_likelihood(counts);
      double numbers = -static_cast<double>(counts.size());
      for (const std::uint32_t block : blocks) {
        Path more = {block};
        more.insert(more.end(), context.begin(), context.end());
        NextCounts after = following(more, false);
        if (after.empty()) continue;
        gained += log_likelihood(after);
        numbers += static_cast<double>(after.size());
        rest = without(std::move(rest), after);
        longer.emplace(std::move(more), std::move(after));
      }
      gained += log_likelihood(rest);
      numbers += static_cast<double>(rest.size());
      // Twice the gain in likelihood against as many numbers as are added, each worth the logarithm of the steps.
      if (2 * gained > std::max(numbers, 1.0) * std::log(steps_)) {
        for (const auto& [more, after] : longer) extend(more, after, blocks, chosen);
        if (!rest.empty()) chosen[context] = rest;
        return;
      }
    }
    chosen[context] = counts;
  }

  const std::vector<std::vector<Path>>& paths_;
  double steps_ = 0;
};

void learn_contexts(const ChainPaths& ways, const std::vector<ClassRun>& runs, SizeMeaning meaning, Flow& chain) {
  std::vector<RunParameters> parameters;
  std::vector<double> entries;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    parameters.push_back(runs[run].run);
    entries.push_back(static_cast<double>(ways.paths()[run].size()));
    if (entries.back() == 0) return;
  }
  std::vector<ChainStep> steps;
  for (const auto& [context, counts] : ContextTree(ways.paths()).grow()) {
    std::vector<std::vector<double>> rows;
    for (const auto& [next, row] : counts) rows.push_back(row);
    const std::vector<Formula> laws = rate_laws(parameters, rows, entries, meaning);
    auto law = laws.begin();
    for (const auto& [next, row] : counts) steps.push_back({context, next, *law++});
  }
  chain.steps = std::move(steps);
}

void learn_levels(const ChainPaths& ways, const std::vector<ClassRun>& runs, std::vector<Site>& sites) {
  for (Site& site : sites) {
    const auto found = ways.visits().find(site.id);
    if (found == ways.visits().end()) continue;
    // Each run by itself, since runs of different sizes send different amounts: how a visit compares with the mean of
    // its run.
    std::map<std::size_t, SiteBytes> by_run;
    for (const Visit& visit : found->second) {
      ++by_run[visit.run].calls;
      by_run[visit.run].sum += runs[visit.run].sequence_bytes[visit.place];
    }
    std::vector<SiteBytes> by_level(kMostLevels);
    for (const Visit& visit : found->second) {
      const SiteBytes& run = by_run.at(visit.run);
      if (run.sum <= 0) continue;
      SiteBytes& level = by_level[std::min<std::size_t>(visit.level, kMostLevels) - 1];
      ++level.calls;
      level.sum += runs[visit.run].sequence_bytes[visit.place] / (run.sum / run.calls);
    }
    std::vector<double> weights;
    bool differ = false;
    for (const SiteBytes& level : by_level) {
      if (level.calls < kFewestPerLevel) break;
      weights.push_back(std::round(1000 * level.sum / level.calls) / 1000);
      differ = differ || std::abs(weights.back() - 1) > kNoticeable;
    }
    if (differ && weights.size() > 1 && site.level_weights.empty()) site.level_weights = std::move(weights);
  }
}

}  // namespace

void learn_order(const std::vector<ClassRun>& runs, SizeMeaning meaning, Flow& flow, std::vector<Site>& sites) {
  for (Flow& part : flow.parts) learn_order(runs, meaning, part, sites);
  const bool have_order =
      std::none_of(runs.begin(), runs.end(), [](const ClassRun& run) { return run.sequence.empty(); });
  if (flow.kind != Flow::Kind::chain || !have_order) return;
  const ChainPaths ways(flow, runs);
  learn_contexts(ways, runs, meaning, flow);
  learn_levels(ways, runs, sites);
}

}  // namespace orrery::motif::fit

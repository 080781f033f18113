#include "motif/fit/spread.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/parallel.h"
#include "motif/predict.h"

namespace orrery::motif::fit {
namespace {

constexpr std::size_t kResamples = 40;

/// SplitMix64 (Steele, Lea, Flood 2014) as a counter: the k-th number of a stream needs none before it.
std::uint64_t random_number(std::uint64_t stream, std::uint64_t k) {
  std::uint64_t z = (stream << 32U) + k;
  z = (z + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::vector<double> grid_from(const std::set<double>& seen, bool multiply) {
  const double low = *seen.begin(), high = *seen.rbegin();
  std::set<double> grid = {low, high};
  for (const double value : seen) {
    if (std::abs(value - (low + high) / 2) < (high - low) / 4) grid.insert(value);
  }
  grid.insert(multiply ? 2 * high : high + 2);
  grid.insert(multiply ? 4 * high : high + 4);
  return {grid.begin(), grid.end()};
}

double deviation_of_logarithm(const std::vector<double>& totals) {
  double sum = 0, squares = 0, count = 0;
  for (const double total : totals) {
    if (total <= 0) continue;
    const double value = std::log(total);
    sum += value;
    squares += value * value;
    ++count;
  }
  return count < 2 ? 0 : std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1)));
}

/// How often each transition of the table happens in a run.
std::vector<double> counts_at(const TimesTable& table, const Motif& motif, const RunParameters& run) {
  std::vector<double> counts(table.edges.size(), 0);
  for (const TransitionUse& use : predict(motif, run).transitions) {
    const auto found = std::lower_bound(table.edges.begin(), table.edges.end(), Edge{use.from, use.to});
    if (found != table.edges.end() && *found == Edge{use.from, use.to})
      counts[static_cast<std::size_t>(found - table.edges.begin())] = use.times;
  }
  return counts;
}

}  // namespace

void fill_spread(const TimesTable& table, const TimesFit& fit, Motif& motif) {
  if (table.runs.size() < 3) return;
  std::set<double> nodes, sizes;
  for (const Scope& run : table.runs) {
    nodes.insert(run[Variable::n]);
    sizes.insert(run[Variable::s]);
  }
  Uncertainty& out = motif.uncertainty;
  out.nodes = grid_from(nodes, true);
  out.sizes = grid_from(sizes, motif.size_meaning == SizeMeaning::amount);

  std::vector<Laws> resampled;
  for (std::size_t k = 0; k < kResamples; ++k) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < table.runs.size(); ++i) chosen.push_back(random_number(k, i) % table.runs.size());
    resampled.push_back(refit_laws(table, fit.laws, chosen));
  }
  // Aside: predictions of counts look at the motif's spread, too.
  std::vector<double> spread(out.nodes.size() * out.sizes.size(), 0);
  parallel_for(spread.size(), [&](std::size_t cell) {
    const RunParameters run{.nodes = out.nodes[cell / out.sizes.size()], .size = out.sizes[cell % out.sizes.size()]};
    const Scope scope(run, motif.size_meaning);
    const std::vector<double> counts = counts_at(table, motif, run);
    std::vector<double> totals(resampled.size(), 0);
    for (std::size_t k = 0; k < resampled.size(); ++k) {
      for (std::size_t edge = 0; edge < counts.size(); ++edge) {
        if (counts[edge] > 0) totals[k] += counts[edge] * resampled[k][edge].at(scope);
      }
    }
    // Three digits: more would only hide that it is an estimate.
    spread[cell] = std::round(1000 * deviation_of_logarithm(totals)) / 1000;
  });
  out.spread = std::move(spread);
}

}  // namespace orrery::motif::fit

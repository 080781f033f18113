#include "align/clock_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "align/robust.h"

namespace orrery::align {
namespace {

constexpr double kReachNs = 1e9;     // how far to either side the levels are taken from
constexpr std::size_t kFewest = 10;  // observations on each side
constexpr double kSignificant = 10;
constexpr double kSmallestJumpNs = 3'000;
constexpr std::size_t kCandidates = 400;  // places tried per node before the exact one is looked for

using Series = std::vector<ResidualPoint>;

struct Levels {
  double before, after, error;
};

/// Medians of the residuals within kReachNs before and from `split` on, and the standard error of their difference.
std::optional<Levels> levels_at(const Series& series, std::size_t split, std::vector<double>& scratch) {
  const double at = series[split].at_ns;
  const auto earlier = [](const ResidualPoint& p, double t) { return p.at_ns < t; };
  const auto first = static_cast<std::size_t>(std::lower_bound(series.begin(), series.end(), at - kReachNs, earlier) - series.begin());
  const auto last = static_cast<std::size_t>(std::lower_bound(series.begin(), series.end(), at + kReachNs, earlier) - series.begin());
  if (split - first < kFewest || last - split < kFewest) return std::nullopt;
  const auto level = [&](std::size_t begin, std::size_t end, double& spread) {
    scratch.clear();
    for (std::size_t i = begin; i < end; ++i) scratch.push_back(series[i].residual_ns);
    const double middle = median(scratch);
    for (double& value : scratch) value = std::abs(value - middle);
    spread = 1.4826 * median(scratch);
    return middle;
  };
  double spread_before = 0, spread_after = 0;
  const double before = level(first, split, spread_before), after = level(split, last, spread_after);
  const double variance =
      spread_before * spread_before / static_cast<double>(split - first) + spread_after * spread_after / static_cast<double>(last - split);
  return Levels{before, after, std::max(1.25 * std::sqrt(variance), 10.0)};
}

/// The split near `guess` with the least sum of absolute deviations from the two levels.
std::size_t place_step(const Series& series, std::size_t guess, const Levels& levels) {
  std::size_t first = guess, last = guess;
  while (first > 0 && series[first - 1].at_ns > series[guess].at_ns - kReachNs / 2) --first;
  while (last + 1 < series.size() && series[last + 1].at_ns < series[guess].at_ns + kReachNs / 2) ++last;
  double cost = 0, least = std::numeric_limits<double>::max();
  std::size_t best = guess;
  for (std::size_t i = first; i <= last; ++i) {  // cost of splitting before i, relative to splitting before `first`
    if (cost < least) least = cost, best = i;
    cost += std::abs(series[i].residual_ns - levels.before) - std::abs(series[i].residual_ns - levels.after);
  }
  return best;
}

}  // namespace

std::vector<StepCandidate> find_steps(std::vector<Series> series, std::uint32_t reference) {
  std::optional<StepCandidate> best;
  std::vector<double> scratch;
  for (std::uint32_t node = 0; node < series.size(); ++node) {
    Series& points = series[node];
    if (node == reference || points.size() < 2 * kFewest) continue;
    std::sort(points.begin(), points.end(), [](const ResidualPoint& a, const ResidualPoint& b) {
      return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.residual_ns < b.residual_ns;
    });
    const std::size_t stride = std::max<std::size_t>(1, points.size() / kCandidates);
    for (std::size_t split = kFewest; split < points.size(); split += stride) {
      const auto levels = levels_at(points, split, scratch);
      if (!levels) continue;
      const double jump = levels->after - levels->before;
      const double significance = std::abs(jump) / levels->error;
      if (std::abs(jump) < kSmallestJumpNs || significance < kSignificant || (best && significance <= best->significance)) continue;
      const std::size_t at = place_step(points, split, *levels);
      const double between = at > 0 ? (points[at - 1].at_ns + points[at].at_ns) / 2 : points[at].at_ns;
      best = StepCandidate{node, {between, jump}, significance};
    }
  }
  if (!best) return {};
  return {*best};
}

}  // namespace orrery::align

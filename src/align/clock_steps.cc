#include "align/clock_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "base/statistics.h"

// Two searches. Given offsets are few: at every gap between two of them a robust line is drawn through the points on
// either side, and where the lines miss each other by far more than elsewhere the clock was set. Residuals of shared
// events and probes are many: the medians before and after a place are compared over three reaches, and the place with
// the least sum of absolute deviations is the step.

namespace orrery::align {
namespace {

constexpr double kTogetherNs = 1e9;      // measurements this close are one
constexpr std::size_t kSide = 5;         // points on either side of a gap,
constexpr std::size_t kFewest = 3;       // and at least
constexpr std::size_t kFewestGaps = 10;  // to say what is typical
// Of what gaps typically show: among many gaps, a few times as much is met by chance.
constexpr double kSignificant = 10;
constexpr double kUnexplained = 0.25;  // of the jump, that is left over by a line with the step

using OffsetSeries = std::vector<OffsetPoint>;

/// One point per second that has any.
OffsetSeries condense(OffsetSeries points) {
  std::sort(points.begin(), points.end(), [](const OffsetPoint& a, const OffsetPoint& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.offset_ns < b.offset_ns;
  });
  OffsetSeries condensed;
  std::vector<double> offsets;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    offsets.clear();
    double at = 0;
    for (end = begin; end < points.size() && points[end].at_ns - points[begin].at_ns < kTogetherNs; ++end) {
      // Several measurements of one moment count once; the median bears a wild one among them.
      offsets.push_back(points[end].offset_ns);
      at += points[end].at_ns - points[begin].at_ns;
    }
    condensed.push_back({points[begin].at_ns + at / static_cast<double>(end - begin), lower_median(offsets)});
  }
  return condensed;
}

/// A robust line (Theil and Sen): the median slope of all pairs, and the median height.
OffsetLine line_through(std::span<const OffsetPoint> points) {
  OffsetLine line{
      lower_median(pair_slopes(points, std::mem_fn(&OffsetPoint::at_ns), std::mem_fn(&OffsetPoint::offset_ns))), 0};
  std::vector<double> values;
  for (const OffsetPoint& point : points) values.push_back(point.offset_ns - line.slope * point.at_ns);
  line.height_ns = lower_median(values);
  return line;
}

/// The points around the gap before `split`, on times since its middle.
struct Gap {
  OffsetSeries points;
  std::size_t before = 0;  // how many of them lie before the gap
  double middle_ns = 0;

  Gap(const OffsetSeries& series, std::size_t split) : middle_ns((series[split - 1].at_ns + series[split].at_ns) / 2) {
    before = std::min(split, kSide);
    const std::size_t end = std::min(split + kSide, series.size());
    for (std::size_t i = split - before; i < end; ++i)
      points.push_back({series[i].at_ns - middle_ns, series[i].offset_ns});
  }
  [[nodiscard]] bool has_enough() const { return before >= kFewest && points.size() - before >= kFewest; }
  [[nodiscard]] OffsetLine line_before() const { return line_through(std::span(points).first(before)); }
  [[nodiscard]] OffsetLine line_after() const { return line_through(std::span(points).subspan(before)); }
  [[nodiscard]] double jump() const { return line_after().height_ns - line_before().height_ns; }
  /// What one line with a jump here leaves over of the points, on average.
  [[nodiscard]] double unexplained(double jump) const {
    OffsetSeries joined = points;
    for (std::size_t i = before; i < joined.size(); ++i) joined[i].offset_ns -= jump;
    const OffsetLine line = line_through(joined);
    double left = 0;
    for (const OffsetPoint& point : joined) left += std::abs(point.offset_ns - line.at(point.at_ns));
    return left / static_cast<double>(joined.size());
  }
};

}  // namespace

std::optional<SparseStep> find_sparse_step(std::vector<OffsetSeries> series,
                                           const std::vector<std::vector<ClockStep>>& known) {
  struct Found {
    std::uint32_t node;
    std::size_t split;
    double jump;
  };
  std::vector<Found> gaps;
  std::vector<double> sizes;
  for (std::uint32_t node = 0; node < series.size(); ++node) {
    series[node] = condense(std::move(series[node]));
    for (std::size_t split = kFewest; split + kFewest <= series[node].size(); ++split) {
      const Gap gap(series[node], split);
      if (!gap.has_enough()) continue;
      gaps.push_back({node, split, gap.jump()});
      sizes.push_back(std::abs(gaps.back().jump));
    }
  }
  if (gaps.size() < kFewestGaps) return std::nullopt;
  // At least a nanosecond: offsets that agree exactly have no spread to compare with.
  const double typical = std::max(kDeviationOverMad * lower_median(sizes), 1.0);
  std::optional<SparseStep> best;
  for (const Found& found : gaps) {
    const double size = std::abs(found.jump);
    if (size < kSmallestJumpNs || size < kSignificant * typical) continue;
    const Gap gap(series[found.node], found.split);
    if (is_known(known[found.node], gap.middle_ns)) continue;
    const double left = gap.unexplained(found.jump);
    if (left > kUnexplained * size) continue;
    const double significance = size / (typical + left);
    if (best && significance <= best->candidate.significance) continue;
    // A measurement covers a while: one next to the gap may have seen the clock before and after it was set.
    const double before = series[found.node][found.split - 1].at_ns, after = series[found.node][found.split].at_ns;
    const double reach = (after - before) / 2;
    const ClockStep step{gap.middle_ns, found.jump, before - reach, after + reach};
    best = SparseStep{{found.node, step, significance}, gap.line_before(), gap.line_after()};
  }
  return best;
}

ClockStep place_between(const SparseStep& found, std::vector<OffsetPoint> points) {
  ClockStep step = found.candidate.step;
  const double middle = step.at_ns;
  std::erase_if(
      points, [&](const OffsetPoint& point) { return point.at_ns < step.earliest_ns || point.at_ns > step.latest_ns; });
  std::sort(points.begin(), points.end(), [](const OffsetPoint& a, const OffsetPoint& b) { return a.at_ns < b.at_ns; });
  double cost = 0, least = 0;
  std::size_t best = 0;  // the first point after the step
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double since = points[i].at_ns - middle;
    cost +=
        // Each point votes for the line that it is nearer to; the best split is where the votes turn.
        std::abs(points[i].offset_ns - found.before.at(since)) - std::abs(points[i].offset_ns - found.after.at(since));
    if (cost < least) least = cost, best = i + 1;
  }
  if (points.empty()) return step;
  if (best > 0) step.earliest_ns = points[best - 1].at_ns;
  if (best < points.size()) step.latest_ns = points[best].at_ns;
  step.at_ns = (step.earliest_ns + step.latest_ns) / 2;
  return step;
}

namespace {

struct Reach {
  double ns;           // how far to either side the levels are taken from
  double significant;  // a jump of so many standard errors
  std::size_t fewest;  // observations on each side: of a few, half may be wild together
};
// Far to either side first, for small steps; then nearer, where drift has less time to look like one.
constexpr Reach kReaches[] = {{1e9, 10, 10}, {0.25e9, 6, 16}, {0.0625e9, 6, 16}};
constexpr double kApartNs = 0.5e9;        // of two steps of one clock
constexpr double kFromEndsNs = 1e9;       // with less on one side the fit could make a step of anything
constexpr std::size_t kNear = 10;         // observations on each side that must show a step
constexpr std::size_t kCandidates = 400;  // places tried per node before the exact one is looked for

using Series = std::vector<ResidualPoint>;

struct Levels {
  double before, after, error;
};

struct Level {
  double middle = 0;
  double spread = 0;    // as a standard deviation
  double variance = 0;  // of the middle
};

/// The median of some residuals and how exact it is. The spread of a few may be small by chance: it is no less than
/// `least_spread`.
Level level_of(const Series& series, std::size_t begin, std::size_t end, double least_spread,
               std::vector<double>& scratch) {
  scratch.clear();
  for (std::size_t i = begin; i < end; ++i) scratch.push_back(series[i].residual_ns);
  const double middle = lower_median(scratch);
  for (double& value : scratch) value = std::abs(value - middle);
  const double spread = std::max(kDeviationOverMad * lower_median(scratch), least_spread);
  return {middle, spread, spread * spread / static_cast<double>(end - begin)};
}

Levels compare(const Level& before, const Level& after) {
  // The standard error of a median is 1.25 times that of a mean; 10 ns keep a few equal values from looking exact.
  return {before.middle, after.middle, std::max(1.25 * std::sqrt(before.variance + after.variance), 10.0)};
}

/// A series with what it takes to say of most places that nothing jumps there: sums of the residuals, cut off where
/// they are wild.
struct Screen {
  Screen(const Series& series, std::vector<double>& scratch) : sums(series.size() + 1, 0.0) {
    const Level all = level_of(series, 0, series.size(), 0, scratch);
    spread = all.spread;
    for (std::size_t i = 0; i < series.size(); ++i)
      sums[i + 1] = sums[i] + std::clamp(series[i].residual_ns - all.middle, -kWild * spread, kWild * spread);
  }

  /// Means of what is cut off move by no less than a quarter of a jump that would count: medians take long, and are
  /// rarely needed.
  [[nodiscard]] bool may_jump(std::size_t first, std::size_t split, std::size_t last, const Reach& reach) const {
    const double before = static_cast<double>(split - first), after = static_cast<double>(last - split);
    const double moved = std::abs((sums[last] - sums[split]) / after - (sums[split] - sums[first]) / before);
    const double least_error = 1.25 * spread * std::sqrt(1 / before + 1 / after);
    // A quarter of the jump that would count: means of clipped values move less than medians do.
    return moved >= std::min(std::max(kSmallestJumpNs, reach.significant * least_error), kWild * spread) / 4;
  }

  static constexpr double kWild = 4;
  std::vector<double> sums;
  double spread = 0;
};

/// Levels within the reach before and from `split` on, and the standard error of their difference. None if there cannot
/// be a jump.
std::optional<Levels> levels_at(const Series& series, const Screen& screen, std::size_t split, const Reach& reach,
                                std::vector<double>& scratch) {
  const double at = series[split].at_ns;
  const auto earlier = [](const ResidualPoint& p, double t) { return p.at_ns < t; };
  const auto first =
      static_cast<std::size_t>(std::lower_bound(series.begin(), series.end(), at - reach.ns, earlier) - series.begin());
  const auto last =
      static_cast<std::size_t>(std::lower_bound(series.begin(), series.end(), at + reach.ns, earlier) - series.begin());
  if (split - first < reach.fewest || last - split < reach.fewest || !screen.may_jump(first, split, last, reach))
    return std::nullopt;
  return compare(level_of(series, first, split, screen.spread, scratch),
                 level_of(series, split, last, screen.spread, scratch));
}

/// Whether the nearest observations on either side of `split` contradict a jump of this size.
bool is_gradual(const Series& series, std::size_t split, double jump, std::vector<double>& scratch) {
  const std::size_t first = split - std::min(split, kNear), last = std::min(split + kNear, series.size());
  if (first == split || split == last) return true;
  const Levels near = compare(level_of(series, first, split, 0, scratch), level_of(series, split, last, 0, scratch));
  const double seen = (near.after - near.before) * (jump > 0 ? 1 : -1);
  // Two errors of benefit of the doubt: the nearest points must show at least half of the jump.
  return seen + 2 * near.error < std::abs(jump) / 2;
}

/// The split near `guess` with the least sum of absolute deviations from the two levels.
std::size_t place_step(const Series& series, std::size_t guess, double reach_ns, const Levels& levels) {
  std::size_t first = guess, last = guess;
  while (first > 0 && series[first - 1].at_ns > series[guess].at_ns - reach_ns / 2) --first;
  while (last + 1 < series.size() && series[last + 1].at_ns < series[guess].at_ns + reach_ns / 2) ++last;
  double cost = 0, least = std::numeric_limits<double>::max();
  std::size_t best = guess;
  for (std::size_t i = first; i <= last; ++i) {  // cost of splitting before i, relative to splitting before `first`
    if (cost < least) least = cost, best = i;
    cost += std::abs(series[i].residual_ns - levels.before) - std::abs(series[i].residual_ns - levels.after);
  }
  return best;
}

}  // namespace

void sort_points(std::vector<ResidualPoint>& points) {
  std::sort(points.begin(), points.end(), [](const ResidualPoint& a, const ResidualPoint& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.residual_ns < b.residual_ns;
  });
}

bool is_known(const std::vector<ClockStep>& known, double at_ns) {
  return std::any_of(known.begin(), known.end(), [&](const ClockStep& step) {
    return at_ns > std::min(step.at_ns - kApartNs, step.earliest_ns) &&
           at_ns < std::max(step.at_ns + kApartNs, step.latest_ns);
  });
}

std::optional<StepCandidate> find_step(const std::vector<Series>& series,
                                       const std::vector<std::vector<ClockStep>>& known) {
  std::optional<StepCandidate> best;
  std::vector<double> scratch;
  const auto try_place = [&](std::uint32_t node, std::size_t split, const Reach& reach, const Screen& screen) {
    const Series& points = series[node];
    const auto levels = levels_at(points, screen, split, reach, scratch);
    if (!levels) return;
    const double jump = levels->after - levels->before;
    const double significance = std::abs(jump) / levels->error;
    if (std::abs(jump) < kSmallestJumpNs || significance < reach.significant ||
        (best && significance <= best->significance))
      return;
    const std::size_t at = place_step(points, split, reach.ns, *levels);
    if (is_gradual(points, at, jump, scratch)) return;
    const double before = points[at > 0 ? at - 1 : at].at_ns, after = points[at].at_ns;
    if (before < points.front().at_ns + kFromEndsNs || after > points.back().at_ns - kFromEndsNs) return;
    if (is_known(known[node], (before + after) / 2)) return;
    best = StepCandidate{node, {(before + after) / 2, jump, before, after}, significance};
  };
  for (std::uint32_t node = 0; node < series.size(); ++node) {
    const Series& points = series[node];
    if (points.size() < 2 * kNear) continue;
    const Screen screen(points, scratch);
    const std::size_t stride = std::max<std::size_t>(1, points.size() / kCandidates);
    for (std::size_t split = kNear; split < points.size(); split += stride) {
      for (const Reach& reach : kReaches) try_place(node, split, reach, screen);
    }
  }
  return best;
}

}  // namespace orrery::align

#include "align/sparse_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "base/statistics.h"

namespace orrery::align {
namespace {

constexpr double kTogetherNs = 1e9;      // measurements this close are one
constexpr std::size_t kSide = 5;         // points on either side of a gap,
constexpr std::size_t kFewest = 3;       // and at least
constexpr std::size_t kFewestGaps = 10;  // to say what is typical
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
        std::abs(points[i].offset_ns - found.before.at(since)) - std::abs(points[i].offset_ns - found.after.at(since));
    if (cost < least) least = cost, best = i + 1;
  }
  if (points.empty()) return step;
  if (best > 0) step.earliest_ns = points[best - 1].at_ns;
  if (best < points.size()) step.latest_ns = points[best].at_ns;
  step.at_ns = (step.earliest_ns + step.latest_ns) / 2;
  return step;
}

}  // namespace orrery::align

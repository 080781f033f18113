#include "align/tracer_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "align/clock_steps.h"
#include "align/node_clocks.h"
#include "base/int128.h"
#include "base/statistics.h"

// A pair is read host first or tracer first with a delay in between, which can only make the host look less far ahead.
// So the pairs furthest ahead are the exact ones: the best of each window of twenty becomes a knot of the map. Steps of
// the host's clock split the list before, and across them the map is uncertain by as much as the clock was set.

namespace orrery::align {
namespace {

constexpr std::int64_t kYearNs =
    31'557'600'000'000'000;  // no job runs as long: larger readings count from the Unix epoch

}  // namespace

trace::ClockSnapshots recorded_snapshots(const trace::Trace& trace, const trace::RankTrace& rank) {
  trace::ClockSnapshots snapshots;
  const trace::SparseColumn& readings = rank.field(trace::Field::tracer_clock);
  for (std::size_t i = 0; i < readings.event.size(); ++i) {
    const std::int64_t host_ns = trace.epoch_unix_ns - rank.era_ns + rank.start[readings.event[i]] / kPsPerNs;
    snapshots.pairs.push_back({host_ns, readings.value[i]});
  }
  return snapshots;
}

trace::ClockSnapshots since_start(trace::ClockSnapshots snapshots, std::optional<std::int64_t> profile_start_unix_ns,
                                  const trace::NodeStart* start) {
  if (snapshots.host_start_ns != 0 || snapshots.pairs.empty()) return snapshots;
  const trace::SnapshotPair& first = snapshots.pairs.front();
  const bool are_absolute = first.host_ns > kYearNs;
  snapshots.host_start_ns =
      start != nullptr ? start->host_start_ns : profile_start_unix_ns.value_or(are_absolute ? first.host_ns : 0);
  if (!are_absolute) return snapshots;
  const std::int64_t host_start = snapshots.host_start_ns;
  // Over the first moments the two clocks differ in rate by less than a nanosecond per millisecond.
  const bool start_is_known = start != nullptr && start->tracer_start_ns != 0;
  const Int128 tracer_start =
      start_is_known ? Int128{start->tracer_start_ns} : Int128{first.tracer_ns} - first.host_ns + host_start;
  std::vector<trace::SnapshotPair> placed;
  for (const trace::SnapshotPair& pair : snapshots.pairs) {
    const Int128 host = Int128{pair.host_ns} - host_start, tracer = pair.tracer_ns - tracer_start;
    if (host > kYearNs || host < -kYearNs || tracer > kYearNs || tracer < -kYearNs) continue;  // of another time
    placed.push_back({static_cast<std::int64_t>(host), static_cast<std::int64_t>(tracer)});
  }
  snapshots.pairs = std::move(placed);
  return snapshots;
}

namespace {

constexpr std::size_t kPerWindow = 20;      // pairs; snapshots are taken every 100 ms or so
constexpr double kMaxRate = 200e-6;         // against the host's clock: beyond this it is a step or nonsense
constexpr double kExtrapolatedNs = 3.6e12;  // an hour beyond the pairs at the typical rate
constexpr std::size_t kBesideStep = 5;      // pairs on either side of a place that may be a step
constexpr double kSignificantSides = 10;    // typical differences between such sides

/// One pair: the tracer's reading, and how far the host's is ahead of it once the typical rate is taken away. A pair
/// that was read slowly has the host less far ahead than it was.
struct Point {
  double tracer, lead;
};

struct Points {
  std::vector<Point> list;  // by tracer time; of equal times the furthest ahead first
  double rate = 0;          // of the host against the tracer, less 1
};

/// Slopes are taken over a window of pairs, so that a step of the host's clock spoils few of them.
double typical_rate(const std::vector<Point>& points) {
  std::vector<double> slopes;
  const std::size_t apart = std::min(kPerWindow, points.size() / 2);
  for (std::size_t i = 0; i + apart < points.size(); ++i) {
    const double run = points[i + apart].tracer - points[i].tracer;
    if (run > 0) slopes.push_back((points[i + apart].lead - points[i].lead) / run);
  }
  return std::clamp(lower_median(slopes), -kMaxRate, kMaxRate);
}

Points prepare(const trace::ClockSnapshots& snapshots) {
  Points points;
  for (const trace::SnapshotPair& pair : snapshots.pairs)
    points.list.push_back({static_cast<double>(pair.tracer_ns), static_cast<double>(pair.host_ns - pair.tracer_ns)});
  std::sort(points.list.begin(), points.list.end(), [](const Point& a, const Point& b) {
    return a.tracer != b.tracer ? a.tracer < b.tracer : a.lead > b.lead;
  });
  points.rate = typical_rate(points.list);
  for (Point& point : points.list) point.lead -= points.rate * point.tracer;
  return points;
}

double furthest(std::span<const Point> points) {
  double lead = std::numeric_limits<double>::lowest();
  for (const Point& point : points) lead = std::max(lead, point.lead);
  return lead;
}

/// All places from `first` to `last` see one step: the first pair after it. A pair is never further ahead than its
/// clock, so one that is `clearly` above the old level comes after a step forward, and one above the new level before a
/// step back.
std::size_t split_between(std::span<const Point> points, std::size_t first, std::size_t last, double clearly) {
  const double before = furthest(points.subspan(first - kBesideStep, kBesideStep)),
               after = furthest(points.subspan(last, kBesideStep));
  if (after > before) {
    for (std::size_t i = first; i < last; ++i) {
      if (points[i].lead > before + clearly) return i;
    }
    return last;
  }
  for (std::size_t i = last; i > first; --i) {
    if (points[i - 1].lead > after + clearly) return i;
  }
  return first;
}

/// Where a step begins the list is split: indices of the first pairs after a step of the host's clock, in order, then
/// the end of the list. The fastest of the five pairs before and after a place differ by what the clock was set there;
/// ten times what they differ by elsewhere is a step.
std::vector<std::size_t> segment_ends(const std::vector<Point>& points) {
  const std::span<const Point> all(points);
  std::vector<double> jumps(points.size(), 0.0), sizes;
  for (std::size_t i = kBesideStep; i + kBesideStep <= points.size(); ++i) {
    jumps[i] = furthest(all.subspan(i, kBesideStep)) - furthest(all.subspan(i - kBesideStep, kBesideStep));
    sizes.push_back(std::abs(jumps[i]));
  }
  const double least = std::max(kSmallestJumpNs, kSignificantSides * kDeviationOverMad * lower_median(sizes));
  std::vector<std::size_t> ends;
  for (std::size_t i = kBesideStep; i + kBesideStep <= points.size(); ++i) {
    if (std::abs(jumps[i]) < least) continue;
    const std::size_t first = i;
    while (i + 1 + kBesideStep <= points.size() && std::abs(jumps[i + 1]) >= least) ++i;
    ends.push_back(split_between(all, first, i, least));
  }
  ends.push_back(points.size());
  return ends;
}

/// Collects the knots of the map; times in ns since the epoch.
class Knots {
 public:
  Knots(double tracer_base_ns, double host_base_ns, double rate)
      : tracer_base_(tracer_base_ns), host_base_(host_base_ns), rate_(rate) {}

  /// Readings that a clock set back shows twice are taken to be the later ones: earlier knots give way.
  void add(double tracer, double lead, double uncertainty) {
    trace::ClockKnot knot{to_ps(tracer_base_ + tracer), to_ps(host_base_ + tracer + lead + rate_ * tracer),
                          to_ps(uncertainty)};
    while (!knots_.empty() && knots_.back().to_ps >= knot.to_ps) {
      trace::ClockKnot moved = knots_.back();
      knots_.pop_back();
      const TimePs cut = moved.to_ps - knot.to_ps + 1;
      moved.from_ps -= cut;
      moved.to_ps -= cut;
      if (!knots_.empty() && (moved.from_ps <= knots_.back().from_ps || moved.to_ps <= knots_.back().to_ps)) continue;
      knots_.push_back(moved);
      break;
    }
    if (knots_.empty() || knot.from_ps > knots_.back().from_ps) knots_.push_back(knot);
  }
  [[nodiscard]] Result<trace::Clock> clock() const { return trace::Clock::from_knots(knots_); }

 private:
  double tracer_base_, host_base_, rate_;
  std::vector<trace::ClockKnot> knots_;
};

/// The pair with the least delay of each window of a stretch without steps. Their delays go to `delays`.
std::vector<Point> fastest_of_windows(std::span<const Point> points, std::vector<double>& delays) {
  std::vector<Point> fastest;
  for (std::size_t begin = 0; begin < points.size();) {
    const std::size_t end =
        points.size() - begin < 2 * kPerWindow ? points.size() : begin + kPerWindow;  // no short window at the end
    const std::span<const Point> window = points.subspan(begin, end - begin);
    const Point best =
        *std::max_element(window.begin(), window.end(), [](const Point& a, const Point& b) { return a.lead < b.lead; });
    for (const Point& point : window) delays.push_back(best.lead - point.lead);
    fastest.push_back(best);
    begin = end;
  }
  return fastest;
}

}  // namespace

Result<trace::Clock> fit_tracer_clock(const trace::ClockSnapshots& snapshots, std::int64_t profile_start_unix_ns,
                                      std::int64_t epoch_unix_ns) {
  if (snapshots.pairs.empty()) return Error{"there are no snapshot pairs"};
  const Points points = prepare(snapshots);
  std::vector<std::vector<Point>> segments;
  std::vector<double> delays;
  const std::vector<std::size_t> ends = segment_ends(points.list);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    segments.push_back(fastest_of_windows(std::span(points.list).subspan(begin, end - begin), delays));
    begin = end;
  }
  // Of n pairs the fastest is off by about the typical delay over the root of n; 1 ns for rounding.
  const double uncertainty = lower_median(delays) / std::sqrt(static_cast<double>(kPerWindow)) + 1;
  Knots knots(static_cast<double>(profile_start_unix_ns - epoch_unix_ns),
              static_cast<double>(snapshots.host_start_ns - epoch_unix_ns), points.rate);
  knots.add(segments.front().front().tracer - kExtrapolatedNs, segments.front().front().lead, uncertainty);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (s > 0) {  // when between two pairs the clock was set is not known
      const double before = points.list[ends[s - 1] - 1].tracer, after = points.list[ends[s - 1]].tracer;
      const double old_lead = segments[s - 1].back().lead, new_lead = segments[s].front().lead,
                   jump = std::abs(new_lead - old_lead);
      knots.add(before, old_lead, uncertainty);
      // A picosecond behind it: a map is strictly increasing, and changes its uncertainty at once.
      knots.add(before + 0.001, old_lead, uncertainty + jump);
      knots.add((before + after) / 2 - 0.001, old_lead, uncertainty + jump);
      knots.add((before + after) / 2, new_lead, uncertainty + jump);
      knots.add(after - 0.001, new_lead, uncertainty + jump);
    }
    for (const Point& point : segments[s]) knots.add(point.tracer, point.lead, uncertainty);
  }
  knots.add(segments.back().back().tracer + kExtrapolatedNs, segments.back().back().lead, uncertainty);
  return knots.clock();
}

}  // namespace orrery::align

#include "align/tracer_clock.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "align/robust.h"

namespace orrery::align {
namespace {

constexpr std::size_t kPerWindow = 20;  // pairs; snapshots are taken every 100 ms or so
constexpr double kMaxRate = 200e-6;     // against the host's clock: beyond this it is a step or nonsense

struct Point {
  double tracer, ahead;  // ahead: host minus tracer
};

/// The robust slope of `ahead` over `tracer`: the median of slopes between points half the list apart.
double typical_rate(const std::vector<Point>& points) {
  std::vector<double> slopes;
  const std::size_t half = points.size() / 2;
  for (std::size_t i = 0; i + half < points.size(); ++i) {
    const double run = points[i + half].tracer - points[i].tracer;
    if (run > 0) slopes.push_back((points[i + half].ahead - points[i].ahead) / run);
  }
  return std::clamp(median(slopes), -kMaxRate, kMaxRate);
}

}  // namespace

Result<trace::Clock> fit_tracer_clock(const trace::ClockSnapshots& snapshots, std::int64_t profile_start_unix_ns,
                                      std::int64_t epoch_unix_ns) {
  if (snapshots.pairs.empty()) return Error{"there are no snapshot pairs"};
  std::vector<Point> points;
  for (const trace::SnapshotPair& pair : snapshots.pairs)
    points.push_back({static_cast<double>(pair.tracer_ns), static_cast<double>(pair.host_ns - pair.tracer_ns)});
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.tracer != b.tracer ? a.tracer < b.tracer : a.ahead > b.ahead; });
  const double rate = typical_rate(points);
  const auto to_ps = [](double ns) { return static_cast<TimePs>(std::llround(ns * 1e3)); };
  const double tracer_base = static_cast<double>(profile_start_unix_ns - epoch_unix_ns);
  const double host_base = static_cast<double>(snapshots.host_start_ns - epoch_unix_ns);
  std::vector<trace::ClockKnot> knots;
  const auto add_knot = [&](double tracer, double ahead, double uncertainty) {
    const trace::ClockKnot knot{to_ps(tracer_base + tracer), to_ps(host_base + tracer + ahead), to_ps(uncertainty)};
    if (knots.empty() || (knot.from_ps > knots.back().from_ps && knot.to_ps > knots.back().to_ps)) knots.push_back(knot);
  };
  std::vector<Point> fastest;  // of each window: the pair with the least delay, that is the host furthest ahead
  std::vector<double> delays;
  for (std::size_t begin = 0; begin < points.size();) {
    const std::size_t end = points.size() - begin < 2 * kPerWindow ? points.size() : begin + kPerWindow;  // no short window at the end
    const auto lead = [&](const Point& p) { return p.ahead - rate * p.tracer; };
    std::size_t best = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (lead(points[i]) > lead(points[best])) best = i;
    }
    for (std::size_t i = begin; i < end; ++i) delays.push_back(lead(points[best]) - lead(points[i]));
    fastest.push_back(points[best]);
    begin = end;
  }
  const double uncertainty = median(delays) / std::sqrt(static_cast<double>(kPerWindow)) + 1;
  constexpr double kReachNs = 3.6e12;  // an hour beyond the pairs at the typical rate
  const Point& first = fastest.front();
  const Point& last = fastest.back();
  add_knot(first.tracer - kReachNs, first.ahead - rate * kReachNs, uncertainty);
  for (const Point& p : fastest) add_knot(p.tracer, p.ahead, uncertainty);
  add_knot(last.tracer + kReachNs, last.ahead + rate * kReachNs, uncertainty);
  return trace::Clock::from_knots(knots);
}

}  // namespace orrery::align

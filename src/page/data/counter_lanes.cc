#include "page/data/counter_lanes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/json/json_writer.h"
#include "page/data/codec.h"

namespace orrery::page {
namespace {

/// A screen is not wider, and a page with many counters not larger.
constexpr std::size_t kPointsOfCounter = 2'000, kPointsOfRank = 100'000, kLeastPoints = 100;

/// Within the times of the events, without values that repeat the one before.
std::vector<CounterPoint> within(std::vector<CounterPoint> points, TimePs begin, TimePs end) {
  std::stable_sort(points.begin(), points.end(),
                   [](const CounterPoint& a, const CounterPoint& b) { return a.time < b.time; });
  std::vector<CounterPoint> kept;
  for (const CounterPoint& point : points) {
    if (point.time > end) break;
    const CounterPoint now{std::max(point.time, begin), point.value};
    // Of values at one moment, as of those before the first event, the last holds.
    if (!kept.empty() && kept.back().time == now.time) kept.pop_back();
    if (kept.empty() || kept.back().value != now.value) kept.push_back(now);
  }
  return kept;
}

std::vector<CounterLane> lanes_of_rank(const trace::Trace& trace, std::uint32_t place, const EventTable& events) {
  const trace::Counters& counters = trace.ranks[place].counters;
  std::map<std::tuple<std::int64_t, StringId, StringId>, std::vector<CounterPoint>> found;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (std::isfinite(counters.value[i]))
      found[{counters.device[i], counters.name[i], counters.unit[i]}].push_back({counters.time[i], counters.value[i]});
  }
  const std::size_t most =
      std::clamp(kPointsOfRank / std::max<std::size_t>(found.size(), 1), kLeastPoints, kPointsOfCounter);
  std::vector<CounterLane> lanes;
  for (auto& [key, points] : found) {
    const auto& [device, name, unit] = key;
    CounterLane lane;
    lane.rank = place;
    lane.device = device;
    lane.name = trace.strings.text(name);
    lane.unit = trace.strings.text(unit);
    lane.points = fewer_points(within(std::move(points), events.origin(), events.end()), most);
    if (lane.points.empty()) continue;
    const auto [least, largest] =
        std::minmax_element(lane.points.begin(), lane.points.end(),
                            [](const CounterPoint& a, const CounterPoint& b) { return a.value < b.value; });
    lane.least = least->value;
    lane.most = largest->value;
    lanes.push_back(std::move(lane));
  }
  // Numbers of texts depend on what else was read.
  std::sort(lanes.begin(), lanes.end(), [](const CounterLane& a, const CounterLane& b) {
    return std::tie(a.device, a.name, a.unit) < std::tie(b.device, b.name, b.unit);
  });
  return lanes;
}

}  // namespace

std::vector<CounterPoint> fewer_points(std::span<const CounterPoint> points, std::size_t most) {
  if (points.size() <= most) return {points.begin(), points.end()};
  const std::uint64_t intervals = (most - 2) / 2;
  const std::uint64_t length = distance(points.front().time, points.back().time) / intervals + 1;
  std::vector<CounterPoint> kept = {points.front()};
  for (std::size_t from = 1; from + 1 < points.size();) {
    const std::uint64_t interval = distance(points.front().time, points[from].time) / length;
    std::size_t least = from, largest = from, to = from;
    for (; to + 1 < points.size() && distance(points.front().time, points[to].time) / length == interval; ++to) {
      if (points[to].value < points[least].value) least = to;
      if (points[to].value > points[largest].value) largest = to;
    }
    kept.push_back(points[std::min(least, largest)]);
    if (least != largest) kept.push_back(points[std::max(least, largest)]);
    from = to;
  }
  kept.push_back(points.back());
  return kept;
}

std::vector<CounterLane> counter_lanes(const trace::Trace& trace, const EventTable& events) {
  std::vector<CounterLane> lanes;
  for (std::uint32_t place = 0; place < trace.ranks.size(); ++place) {
    for (CounterLane& lane : lanes_of_rank(trace, place, events)) lanes.push_back(std::move(lane));
  }
  return lanes;
}

std::vector<EncodedColumn> counter_columns(std::span<const CounterLane> lanes, std::uint32_t rank,
                                           const EventTable& events) {
  std::vector<std::int64_t> times;
  std::string values;
  JsonWriter json(values);
  json.begin_array();
  for (const CounterLane& lane : lanes) {
    if (lane.rank != rank) continue;
    for (const CounterPoint& point : lane.points) {
      times.push_back((point.time - events.origin()) / events.unit_ps());
      json.value(point.value);
    }
  }
  json.end_array();
  if (times.empty()) return {};
  std::vector<EncodedColumn> columns;
  columns.push_back(encode_delta("ct.time", times.size(), [&](std::size_t i) { return times[i]; }));
  columns.push_back(encode_json("ct.value", std::move(values)));
  return columns;
}

}  // namespace orrery::page

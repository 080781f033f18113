#include "page/data/counter_lanes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::page {
namespace {

/// A rank with one kernel from 1,000 ns to 2,000 ns.
trace::Trace trace_with_kernel() {
  trace::Trace trace;
  trace::RankTrace& rank = trace.ranks.emplace_back();
  rank.lanes.push_back({.process = {1, 0}, .thread = {7, 0}});
  rank.categories.push_back({0, trace::Activity::kernel});
  rank.append_event({.start = 1'000 * kPsPerNs,
                     .duration = 1'000 * kPsPerNs,
                     .name = trace.strings.intern("k"),
                     .lane = 0,
                     .category = 0},
                    {0, 0});
  return trace;
}

}  // namespace

TEST_CASE("counters are lanes by device and name, within the times of the events") {
  trace::Trace trace = trace_with_kernel();
  trace::Counters& counters = trace.ranks.front().counters;
  const StringId clock = trace.strings.intern("clock"), mhz = trace.strings.intern("MHz"),
                 load = trace.strings.intern("load");
  const auto push = [&](std::int64_t device, StringId name, StringId unit, TimePs ns, double value) {
    counters.push(device, name, unit, ns * kPsPerNs, value);
  };
  push(0, clock, mhz, 1'500, 1700);
  // Before the first event: the last of these holds when it begins.
  push(0, clock, mhz, 100, 1000);
  push(0, clock, mhz, 200, 1980);
  push(0, clock, mhz, 1'600, 1700);  // says nothing new
  push(0, clock, mhz, 1'700, std::numeric_limits<double>::quiet_NaN());
  push(0, clock, mhz, 2'500, 300);  // after the last one
  push(trace::Counters::kNoDevice, load, 0, 1'200, 0.5);
  push(1, load, 0, 9'000, 1);  // nothing of it is on the page
  const EventTable events(trace, {});
  const std::vector<CounterLane> lanes = counter_lanes(trace, events);
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0].name == "load");
  CHECK(lanes[0].device == -1);
  CHECK(lanes[1].name == "clock");
  CHECK(lanes[1].unit == "MHz");
  REQUIRE(lanes[1].points.size() == 2);
  CHECK(lanes[1].points[0].time == 1'000 * kPsPerNs);
  CHECK(lanes[1].points[0].value == 1980);
  CHECK(lanes[1].points[1].value == 1700);
  CHECK(lanes[1].least == 1700);
  CHECK(lanes[1].most == 1980);

  const std::vector<EncodedColumn> columns = counter_columns(lanes, 0, events);
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].name == "ct.time");
  CHECK(columns[0].count == 3);
  CHECK(columns[1].bytes == "[0.5,1980,1700]");
  CHECK(counter_columns(lanes, 1, events).empty());
}

TEST_CASE("of many points few are kept, in order, with the least and the largest") {
  rc::check([] {
    std::vector<CounterPoint> points;
    TimePs time = *rc::gen::inRange<TimePs>(-1000, 1000);
    const int count = *rc::gen::inRange(1, 400);
    for (int i = 0; i < count; ++i) {
      time += *rc::gen::inRange<TimePs>(1, 1000);
      points.push_back({time, static_cast<double>(*rc::gen::inRange(-50, 50))});
    }
    const std::size_t most = *rc::gen::inRange<std::size_t>(4, 64);
    const std::vector<CounterPoint> kept = fewer_points(points, most);
    RC_ASSERT(kept.size() <= std::max<std::size_t>(most, 1));
    RC_ASSERT(kept.front().time == points.front().time && kept.back().time == points.back().time);
    const auto by_time = [](const CounterPoint& a, const CounterPoint& b) { return a.time < b.time; };
    const auto by_value = [](const CounterPoint& a, const CounterPoint& b) { return a.value < b.value; };
    RC_ASSERT(std::is_sorted(kept.begin(), kept.end(), by_time));
    RC_ASSERT(std::min_element(kept.begin(), kept.end(), by_value)->value ==
              std::min_element(points.begin(), points.end(), by_value)->value);
    RC_ASSERT(std::max_element(kept.begin(), kept.end(), by_value)->value ==
              std::max_element(points.begin(), points.end(), by_value)->value);
  });
}

}  // namespace orrery::page

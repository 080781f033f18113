#include "align/tracer_clock.h"

#include <doctest/doctest.h>

using namespace orrery;

namespace {

constexpr std::int64_t kStart = 1'790'000'000'000'000'000;

trace::ClockSnapshots absolute_pairs() {
  trace::ClockSnapshots snapshots;
  for (std::int64_t t = 100; t < 500; t += 100) snapshots.pairs.push_back({kStart + t, 7'000'000 + t + t / 100});
  return snapshots;
}

}  // namespace

TEST_CASE("absolute pairs count from the start of the profile, the tracer's from what it showed then") {
  const trace::NodeStart start{.node = 0, .host_start_ns = kStart, .tracer_start_ns = 7'000'000};
  const trace::ClockSnapshots placed = align::since_start(absolute_pairs(), kStart, &start);
  CHECK(placed.host_start_ns == kStart);
  CHECK(placed.pairs.front().host_ns == 100);
  CHECK(placed.pairs.front().tracer_ns == 101);
  CHECK(placed.pairs.back().tracer_ns == 404);
}

TEST_CASE("without knowing what the tracer showed at the start it is taken to have begun with the host") {
  const trace::ClockSnapshots placed = align::since_start(absolute_pairs(), kStart, nullptr);
  CHECK(placed.pairs.front().host_ns == 100);
  CHECK(placed.pairs.front().tracer_ns == 100);
  CHECK(placed.pairs.back().tracer_ns == 403);
}

TEST_CASE("pairs with starts of their own, and pairs that begin near zero, stay as they are") {
  trace::ClockSnapshots own = absolute_pairs();
  own.host_start_ns = kStart;
  CHECK(align::since_start(own, kStart, nullptr).pairs.front().host_ns == kStart + 100);
  trace::ClockSnapshots relative;
  relative.pairs = {{100, 130}, {200, 230}};
  const trace::ClockSnapshots placed = align::since_start(relative, kStart, nullptr);
  CHECK(placed.host_start_ns == kStart);
  CHECK(placed.pairs.back().tracer_ns == 230);
}

TEST_CASE("snapshots recorded in a trace are its events with the tracer's reading") {
  trace::Trace job;
  job.epoch_unix_ns = kStart;
  trace::RankTrace rank;
  for (const TimePs start : {TimePs{5'000}, TimePs{9'000}}) rank.start.push_back(start);
  CHECK(align::recorded_snapshots(job, rank).pairs.empty());
  rank.field(trace::Field::tracer_clock).push(1, 77);
  const trace::ClockSnapshots found = align::recorded_snapshots(job, rank);
  REQUIRE(found.pairs.size() == 1);
  CHECK(found.pairs[0].host_ns == kStart + 9);
  CHECK(found.pairs[0].tracer_ns == 77);
}

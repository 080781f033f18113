#include "analyze/schedule/replay_summary.h"

#include <doctest/doctest.h>

#include "simulate/replay.h"
#include "simulate/small_job.h"

namespace orrery::analyze {
namespace {

using namespace orrery::simulate::testing;
using workload::kNotRecorded;
using workload::Workload;
using Kind = LaneUse::Kind;

void set_starts(Workload& job, std::size_t rank, const std::vector<TimePs>& starts) {
  for (std::size_t i = 0; i < starts.size(); ++i) job.programs[rank].starts_ps.set(i, starts[i]);
  job.programs[rank].starts_ps.complete(starts.size());
}

void set_lanes(Workload& job, std::size_t rank, const std::vector<std::int32_t>& lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) job.programs[rank].lanes.set(i, lanes[i]);
  job.programs[rank].lanes.complete(lanes.size());
}

Node lasting(Node node, TimePs duration) {
  node.duration = duration;
  return node;
}

ReplaySummary summary_of(const Workload& job, bool rendezvous = true, std::size_t departures = 10) {
  const Result<simulate::Schedule> schedule = simulate::replay(job, {.rendezvous = rendezvous});
  if (!schedule) throw std::invalid_argument(schedule.error().message);
  return summarize_replay(job, *schedule, departures);
}

}  // namespace

TEST_CASE("replay summary: spans of each rank from its own begin") {
  Workload job = make_job({{compute(10), compute(20, {0})}, {compute(50)}});
  set_starts(job, 0, {1000, 1012});  // a gap of 2 that the graph does not know
  set_starts(job, 1, {1100});
  const ReplaySummary summary = summary_of(job);
  CHECK(summary.ranks[0].replayed_ps == 30);
  CHECK(summary.ranks[0].recorded_ps == 32);
  CHECK(residual_percent(summary.ranks[0]) == doctest::Approx(-6.25));
  CHECK(summary.ranks[1].begin_ps == 100);
  CHECK(summary.ranks[1].replayed_ps == 50);
  CHECK(residual_percent(summary.ranks[1]) == 0);
}

TEST_CASE("replay summary: lanes are threads and streams, overlap counts once") {
  Workload job =
      make_job({{on_host(10), on_host(10, {0}), compute(30, {0}), compute(40, {0}), compute(5, {2}), nothing({1})}});
  set_lanes(job, 0, {3, 3, 7, 7, 20, 3});
  const std::vector<LaneUse> expected = {{Kind::thread, 3, 2, 20}, {Kind::stream, 7, 2, 40}, {Kind::stream, 20, 1, 5}};
  CHECK(summary_of(job).ranks[0].lanes == expected);
  CHECK(workload::lane_name({Kind::stream, 7}) == "stream 7");
  CHECK(workload::lane_name({Kind::communication, 0}) == "communication");
}

TEST_CASE("replay summary: without recorded lanes, what activities occupy") {
  Node load = compute(4);
  load.kind = ActivityKind::memory_load;
  const Workload job = make_job({{on_host(1), compute(2), compute(3), load, lasting(all_reduce(8), 5)}});
  const std::vector<LaneUse> expected = {
      {Kind::host, 0, 1, 1}, {Kind::compute, 0, 2, 3}, {Kind::memory, 0, 1, 4}, {Kind::communication, 0, 1, 5}};
  CHECK(summary_of(job).ranks[0].lanes == expected);
}

TEST_CASE("replay summary: a departure is named where it arises, not where it is passed on") {
  Workload job = make_job({{compute(10), compute(10, {0}), compute(10, {1}), compute(10, {2})}});
  set_starts(job, 0, {0, 17, 27, 40});
  const ReplaySummary summary = summary_of(job);
  REQUIRE(summary.departures.size() == 2);
  CHECK(summary.departures[0].activity == 1);
  CHECK(summary.departures[0].recorded_ps == 17);
  CHECK(summary.departures[0].replayed_ps == 10);
  CHECK(summary.departures[0].arises_ps == -7);
  CHECK(summary.departures[1].activity == 3);
  CHECK(summary.departures[1].arises_ps == -3);
  CHECK(summary_of(job, true, 1).departures.size() == 1);
  CHECK(summary_of(job, true, 0).departures.empty());
  CHECK(summary.contradicted == 0);
}

TEST_CASE("replay summary: a dependency that the recording contradicts is counted") {
  Workload job = make_job({{compute(10), compute(10, {0}), compute(1, {0})}});
  set_starts(job, 0, {0, 4, 10});
  const ReplaySummary summary = summary_of(job);
  CHECK(summary.contradicted == 1);
  CHECK(summary.first_contradicted_source.activity == 0);
  CHECK(summary.first_contradicted_target.activity == 1);
  REQUIRE(summary.departures.size() == 1);
  CHECK(summary.departures[0].arises_ps == 6);
}

TEST_CASE("replay summary: activities without a recorded start are passed over") {
  Workload job = make_job({{compute(10), compute(10, {0}), compute(10, {1})}});
  set_starts(job, 0, {0, kNotRecorded, 25});
  const ReplaySummary summary = summary_of(job);
  REQUIRE(summary.departures.size() == 1);
  CHECK(summary.departures[0].activity == 2);
  CHECK(summary.departures[0].arises_ps == -5);
}

TEST_CASE("replay summary: what partners change arises at the communication") {
  Workload job = make_job(
      {{compute(10), lasting(all_reduce(8, {0}), 30), compute(1, {1})}, {compute(20), lasting(all_reduce(8, {0}), 9)}});
  set_starts(job, 0, {0, 10, 40});
  set_starts(job, 1, {0, 20});
  const ReplaySummary summary = summary_of(job);  // the collective of rank 0 ends at 29 instead of 40
  REQUIRE(summary.departures.size() == 1);
  CHECK(summary.departures[0].rank == 0);
  CHECK(summary.departures[0].activity == 1);
  CHECK(summary.departures[0].replayed_ps == 10);
  CHECK(summary.departures[0].arises_ps == -11);
}

TEST_CASE("replay summary: missing durations are those of device work and communication") {
  const ReplaySummary summary = summary_of(make_job({{on_host(0), nothing(), compute(1), compute(0), all_reduce(8)}}));
  CHECK(summary.without_duration == 2);
  CHECK(summary.first_without_duration.activity == 3);
  Workload quick = make_job({{compute(0), compute(1)}});
  set_starts(quick, 0, {5, 5});  // it ran, for less than the unit of the file
  CHECK(summary_of(quick).without_duration == 0);
}

}  // namespace orrery::analyze

// Receives from any source and of any tag, and collectives with parts of unequal size.
#include <doctest/doctest.h>

#include "simulate/engine/engine.h"
#include "simulate/replay.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

Result<Schedule> run(const workload::Workload& job, std::int64_t eager_limit_bytes = -1) {
  FixedNetwork network(100, 1);
  EngineOptions options;
  options.eager_limit_bytes = eager_limit_bytes;
  return execute(job, network, options);
}

Node recv_any(std::int64_t bytes, After after = {}, std::int64_t tag = 0) {
  Node node = recv(workload::kAnyPeer, bytes, std::move(after), tag);
  node.flags = workload::activity::kHasPeer;
  return node;
}

// Rank 0 takes two messages from whoever comes; rank 2 is ready first.
workload::Workload two_to_one(TimePs recorded = 0) {
  std::vector<std::vector<Node>> ranks = {
      {recv_any(10), recv_any(10, {0})}, {compute(1'000), send(0, 10, {0})}, {compute(500), send(0, 10, {0})}};
  for (std::vector<Node>& nodes : ranks) {
    for (Node& node : nodes) {
      if (node.kind != ActivityKind::compute) node.duration = recorded;
    }
  }
  return make_job(ranks);
}

Node of_kind(Collective kind, std::int64_t bytes) {
  return {.kind = ActivityKind::collective, .bytes = bytes, .collective = kind};
}

}  // namespace

TEST_CASE("a receive from any source takes the message that was sent first") {
  for (const std::int64_t limit : {-1, 1'000}) {
    const Result<Schedule> schedule = run(two_to_one(), limit);
    REQUIRE_MESSAGE(schedule.ok(), schedule.error().message);
    REQUIRE(schedule->taken.size() == 2);
    CHECK(schedule->taken[0].source == 2);
    CHECK(schedule->taken[1].source == 1);
    CHECK(schedule->end_ps[0] == 500 + 110);
    CHECK(schedule->end_ps[1] == 1'000 + 110);
  }
}

TEST_CASE("of messages sent at the same moment that of the lowest rank comes first") {
  const Result<Schedule> schedule = run(make_job({{recv_any(10), recv_any(20, {0})}, {send(0, 10)}, {send(0, 20)}}));
  REQUIRE(schedule.ok());
  CHECK(schedule->taken[0].source == 1);
}

TEST_CASE("a receive of any tag takes messages in order, one with a tag waits for its own") {
  const Result<Schedule> schedule = run(
      make_job({{send(1, 10, {}, 7), send(1, 20, {0}, 8)}, {recv(0, 20, {}, 8), recv(0, 10, {}, workload::kAnyTag)}}),
      1'000);
  REQUIRE_MESSAGE(schedule.ok(), schedule.error().message);
  REQUIRE(schedule->taken.size() == 2);
  CHECK(schedule->taken[0].recv == 1);  // the tag 7 fits only the second receive
  CHECK(schedule->taken[1].recv == 0);
}

TEST_CASE("what is open and finds nobody is told") {
  const Result<Schedule> waiting = run(make_job({{recv_any(10), recv_any(10)}, {send(0, 10)}}));
  REQUIRE_FALSE(waiting.ok());
  CHECK(
      waiting.error().message ==
      "deadlock after 110 ps with 2 of 3 activities done: rank 0, node 1 (recv) waits for a partner that never comes");
  const Result<Schedule> kept = run(make_job({{recv_any(10)}, {send(0, 10), send(0, 10)}}), 1'000);
  REQUIRE_FALSE(kept.ok());
  CHECK(kept.error().message == "the message of rank 1, node 1 (send) to rank 0 is never received");
}

TEST_CASE("replay matches open receives by time, too") {
  const Result<Schedule> schedule = replay(two_to_one(30), {.eager_limit_bytes = -1});
  REQUIRE_MESSAGE(schedule.ok(), schedule.error().message);
  CHECK(schedule->taken[0].source == 2);
  CHECK(schedule->end_ps[0] == 530);
  CHECK(schedule->end_ps[1] == 1'030);
}

TEST_CASE("collectives with parts of unequal size reach the network with their parts") {
  FixedNetwork network(100, 1);
  workload::Workload job = make_job({{of_kind(Collective::all_gather, 5)}, {of_kind(Collective::all_gather, 7)}});
  CHECK(execute(job, network).ok());
  REQUIRE(network.log().size() == 1);
  CHECK(network.log()[0].bytes == 12);
  network.restart();
  job = make_job({{of_kind(Collective::all_to_all, 5)}, {of_kind(Collective::all_to_all, 70)}});
  job.programs[1].parts = {{60, 10}};
  job.programs[1].part_lists.set(0, 1);
  CHECK(execute(job, network).ok());
  CHECK(network.log()[0].bytes == 70);
  job.programs[0].parts = {{60, 10, 3}};
  job.programs[0].part_lists.set(0, 1);
  CHECK(execute(job, network).error().message == "rank 0, node 0 (all_to_all) has 3 parts, but all ranks has 2 ranks");
}

TEST_CASE("a root that is not given is the first of the group") {
  FixedNetwork network(100, 1);
  const Node rootless = {
      .kind = ActivityKind::collective, .bytes = 5, .collective = Collective::broadcast, .group = "g"};
  CHECK(execute(make_job({{}, {rootless}, {rootless}}, {{"g", {2, 1}}}), network).ok());
  CHECK(network.log()[0].root == 0);
  CHECK(network.log()[0].ranks == std::vector<std::uint32_t>{2, 1});
}

}  // namespace orrery::simulate::testing

#include "simulate/engine/engine.h"

#include <doctest/doctest.h>

#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

Schedule run(const workload::Workload& job, EngineOptions options = {}, TimePs latency = 100, TimePs ps_per_byte = 1) {
  FixedNetwork network(latency, ps_per_byte);
  Result<Schedule> schedule = execute(job, network, options);
  if (!schedule) FAIL(schedule.error().to_string());
  return std::move(*schedule);
}

std::vector<TimePs> values(const Column<TimePs>& column) { return {column.begin(), column.end()}; }
using Times = std::vector<TimePs>;

}  // namespace

TEST_CASE("a delay of the device takes time, and nothing of the device") {
  workload::Workload job = make_job({{compute(10), compute(5), compute(1, {1})}});
  job.programs[0].names[1] = job.strings.intern("[launch delay]");
  FixedNetwork network(100, 1);
  EngineOptions one;
  one.compute_slots = 1;
  const Result<Schedule> schedule = execute(job, network, one);
  REQUIRE(schedule.ok());
  CHECK(schedule->end_ps[1] == 5);     // beside the first
  CHECK(schedule->start_ps[2] == 10);  // when the device is free again
  CHECK(schedule->ranks[0].compute_ps == 11);
}

TEST_CASE("a chain takes the sum of its parts") {
  const Schedule schedule = run(make_job({{compute(10), compute(20, {0}), nothing({1}), compute(30, {2})}}));
  CHECK(values(schedule.start_ps) == Times{0, 10, 30, 30});
  CHECK(values(schedule.end_ps) == Times{10, 30, 30, 60});
  REQUIRE(schedule.ranks.size() == 1);
  CHECK(schedule.ranks[0] == RankUse{.finish_ps = 60, .compute_ps = 60, .communication_ps = 0, .exposed_ps = 0});
}

TEST_CASE("slots limit what runs at once, and the smallest activity goes first") {
  const workload::Workload job = make_job({{compute(10), compute(10), compute(5, {0}), compute(10), on_host(7)}});
  CHECK(values(run(job).start_ps) == Times{0, 10, 20, 25, 0});
  EngineOptions two;
  two.compute_slots = 2;
  CHECK(values(run(job, two).start_ps) == Times{0, 0, 10, 10, 0});
  CHECK(run(job, two).ranks[0].compute_ps == 20);
}

TEST_CASE("a program that was recorded on several streams and threads has as many slots") {
  workload::Workload job = make_job({{compute(10), compute(10), compute(10), on_host(7), on_host(7)}});
  workload::Program& program = job.programs[0];
  for (const auto& [activity, lane] :
       std::vector<std::pair<std::size_t, int>>{{0, 7}, {1, 20}, {2, 7}, {3, 100}, {4, 101}})
    program.lanes.set(activity, lane);
  program.lanes.complete(program.size());
  CHECK(values(run(job).start_ps) == Times{0, 0, 10, 0, 0});
}

TEST_CASE("a slot that becomes free goes to the smallest of all that are ready by then, whoever freed it") {
  // Activities 1 and 3 end at the same moment; 4 becomes ready through 3 and 2 through 1: 2 goes first.
  EngineOptions two;
  two.compute_slots = 2;
  const Schedule schedule =
      run(make_job({{compute(4), compute(10), compute(5, {1}), compute(6, {0}), compute(5, {3}), compute(9)}}), two);
  CHECK(values(schedule.start_ps) == Times{0, 0, 10, 4, 10, 15});
}

TEST_CASE("dependencies may run against the ids") {
  const Schedule schedule = run(make_job({{compute(10, {2}), compute(5), compute(7, {1})}}));
  CHECK(values(schedule.start_ps) == Times{12, 0, 5});
}

TEST_CASE("where a start is enough, nothing waits for the end") {
  // Host work beside the device's; then a message that leaves while the collective is still on its way.
  const Schedule schedule = run(make_job({{compute(5), compute(10, {0}), with({1}, on_host(4)), with({1}, compute(3)),
                                           with({3}, nothing()), nothing({1})}}));
  CHECK(values(schedule.start_ps) == Times{0, 5, 5, 15, 15, 15});
  CHECK(values(schedule.end_ps) == Times{5, 15, 9, 18, 15, 15});
}

TEST_CASE("the start of a collective is the arrival of the rank itself, of a message its posting") {
  const Schedule schedule = run(
      make_job({{all_reduce(60), with({0}, compute(7))}, {compute(50), all_reduce(60, {0}), with({1}, on_host(1))}}));
  CHECK(values(schedule.start_ps) == Times{0, 0, 0, 50, 50});
  CHECK(values(schedule.end_ps) == Times{210, 7, 50, 210, 51});
  const Schedule message = run(
      make_job({{compute(9), send(1, 20, {0})}, {recv(0, 20), with({0}, compute(3)), compute(1, {0})}}), rendezvous());
  CHECK(values(message.start_ps) == Times{0, 9, 0, 0, 129});
}

TEST_CASE("long chains of starts take no stack and no time") {
  std::vector<Node> chain = {nothing()};
  for (std::uint32_t i = 1; i < 100000; ++i) chain.push_back(with({i - 1}, nothing()));
  chain.push_back(with({99999}, compute(5)));
  CHECK(run(make_job({chain})).end_ps.back() == 5);
}

TEST_CASE("communication overlaps with compute; what does not is exposed") {
  // compute 0 (50) -> all-reduce (100 + 60) beside compute 2 (100), then compute 3.
  const std::vector<Node> rank = {compute(50), all_reduce(60, {0}), compute(100, {0}), compute(10, {1, 2})};
  const Schedule schedule = run(make_job({rank, rank}));
  CHECK(values(schedule.start_ps) == Times{0, 50, 50, 210, 0, 50, 50, 210});
  CHECK(schedule.makespan_ps() == 220);
  CHECK(schedule.ranks[1] == RankUse{.finish_ps = 220, .compute_ps = 160, .communication_ps = 160, .exposed_ps = 60});
}

TEST_CASE("a collective waits for its last participant, and holds no bandwidth until then") {
  FixedNetwork network(100, 2);
  const auto schedule = execute(
      make_job({{compute(10), all_reduce(30, {0})}, {compute(500), all_reduce(30, {0})}, {all_reduce(30)}}), network);
  REQUIRE(schedule.ok());
  CHECK(values(schedule->start_ps) == Times{0, 10, 0, 500, 0});
  CHECK(values(schedule->end_ps) == Times{10, 660, 500, 660, 660});
  REQUIRE(network.log().size() == 1);
  CHECK(network.log()[0].time == 500);
  CHECK(network.log()[0].ranks == std::vector<std::uint32_t>{0, 1, 2});
  REQUIRE(schedule->collectives.size() == 1);
  CHECK(schedule->collectives[0] == CollectiveUse{.kind = Collective::all_reduce,
                                                  .group_name = 0,
                                                  .ranks = 3,
                                                  .bytes = 30,
                                                  .first_arrival_ps = 0,
                                                  .last_arrival_ps = 500,
                                                  .end_ps = 660});
  CHECK(schedule->ranks[2].exposed_ps == 660);
  CHECK(schedule->ranks[1].exposed_ps == 160);
}

TEST_CASE("collectives of one communicator keep their order, those of different ones overlap") {
  const std::vector<Node> rank = {all_reduce(0), all_reduce(0), all_reduce(0, {}, "pair")};
  const workload::Workload job = make_job({rank, rank}, {{"pair", {1, 0}}});
  CHECK(values(run(job).start_ps) == Times{0, 100, 0, 0, 100, 0});

  // The second is ready first, but it is not its turn.
  const std::vector<Node> late = {compute(70), all_reduce(0, {0}), all_reduce(0)};
  CHECK(values(run(make_job({late, late})).start_ps) == Times{0, 70, 170, 0, 70, 170});
}

TEST_CASE("collectives are matched by their order on the communicator, whatever else a rank does") {
  FixedNetwork network(10, 0);
  const auto job = make_job({{all_reduce(8, {}, "a"), all_reduce(4, {0}), all_reduce(2, {1}, "a")},
                             {all_reduce(4), all_reduce(8, {}, "a"), compute(1, {1}), all_reduce(2, {2}, "a")}},
                            {{"a", {0, 1}}});
  REQUIRE(execute(job, network).ok());
  REQUIRE(network.log().size() == 3);
  CHECK(network.log()[0].bytes == 8);
  CHECK(network.log()[1].bytes == 4);
  CHECK(network.log()[2].bytes == 2);
}

TEST_CASE("the root of a collective is handed on as its place in the group") {
  FixedNetwork network;
  Node broadcast{
      .kind = ActivityKind::collective, .bytes = 5, .peer = 2, .collective = Collective::broadcast, .group = "odd"};
  REQUIRE(execute(make_job({{}, {broadcast}, {broadcast}}, {{"odd", {1, 2}}}), network).ok());
  REQUIRE(network.log().size() == 1);
  CHECK(network.log()[0].collective == Collective::broadcast);
  CHECK(network.log()[0].root == 1);
}

TEST_CASE("a rendezvous ends for both sides at once, an eager send as soon as it has left") {
  const workload::Workload job = make_job({{send(1, 40), compute(1, {0})}, {compute(500), recv(0, 40, {0})}});
  const Schedule meeting = run(job, rendezvous());
  CHECK(values(meeting.start_ps) == Times{0, 640, 0, 500});
  CHECK(values(meeting.end_ps) == Times{640, 641, 500, 640});

  EngineOptions eager;
  eager.eager_overhead_ps = 7;
  const Schedule early = run(job, eager);
  CHECK(values(early.end_ps) == Times{7, 8, 500, 500});  // the message was there at 7 + 140
  CHECK(early.ranks[1].exposed_ps == 0);
  const Schedule awaited = run(make_job({{compute(20), send(1, 40, {0})}, {recv(0, 40)}}), eager);
  CHECK(values(awaited.end_ps) == Times{20, 27, 167});
}

TEST_CASE("messages are matched by source, target, tag and order") {
  FixedNetwork network(0, 1);
  const auto schedule = execute(make_job({{send(1, 10, {}, 5), send(1, 20, {}, 6), send(1, 30, {}, 5)},
                                          {recv(0, 20, {}, 6), recv(0, 10, {}, 5), recv(0, 30, {}, 5)}}),
                                network);
  REQUIRE(schedule.ok());
  CHECK(values(schedule->end_ps) == Times{0, 0, 0, 20, 10, 30});
}

TEST_CASE("a pipeline fills and drains: m microbatches through s stages take (m + s - 1) slots and the hops between") {
  constexpr int kStages = 4, kBatches = 6;
  constexpr TimePs kWork = 1000, kHop = 100 + 50;
  std::vector<std::vector<Node>> ranks(kStages);
  for (int stage = 0; stage < kStages; ++stage) {
    for (int batch = 0; batch < kBatches; ++batch) {
      std::vector<Node>& rank = ranks[static_cast<std::size_t>(stage)];
      std::vector<std::uint32_t> needs;
      if (stage > 0) rank.push_back(recv(stage - 1, 50)), needs = {static_cast<std::uint32_t>(rank.size() - 1)};
      rank.push_back(compute(kWork, needs));
      if (stage + 1 < kStages) rank.push_back(send(stage + 1, 50, {static_cast<std::uint32_t>(rank.size() - 1)}));
    }
  }
  CHECK(run(make_job(ranks)).makespan_ps() == (kBatches + kStages - 1) * kWork + (kStages - 1) * kHop);
}

TEST_CASE("memory, roofline and launch latency") {
  std::vector<Node> nodes = {
      {.kind = ActivityKind::memory_load, .duration = 3, .bytes = 1000},
      {.duration = 9, .bytes = 100, .operations = 4000},  // 4000 operations at 1e12/s: 4 ns; 100 bytes at 1e11/s: 1 ns
      {.duration = 9, .bytes = 900, .after = {1}, .operations = 10},
      {.duration = 5, .after = {2}},
  };
  const workload::Workload job = make_job({nodes});
  CHECK(values(run(job).end_ps) == Times{3, 9, 18, 23});
  EngineOptions options;
  options.memory_bytes_per_second = 1e11;
  CHECK(values(run(job, options).end_ps) == Times{10'000, 9, 18, 23});
  options.compute_time = ComputeTime::roofline;
  options.operations_per_second = 1e12;
  options.launch_latency_ps = 100;
  CHECK(values(run(job, options).end_ps) == Times{10'000, 4'100, 13'200, 13'305});
}

TEST_CASE("links report what they carried") {
  const Schedule schedule =
      run(make_job({{all_reduce(60), all_reduce(40, {0})}, {all_reduce(60), all_reduce(40, {0})}}), {}, 100, 1);
  REQUIRE(schedule.link_count() == 1);
  CHECK(schedule.link_bytes[0] == 100);
  CHECK(schedule.link_busy_ps[0] == 300);
  CHECK(schedule.link_peak_sharing[0] == 1);
}

TEST_CASE("no ranks and no activities are fine") {
  CHECK(run(make_job({})).makespan_ps() == 0);
  CHECK(run(make_job({{}, {}})).makespan_ps() == 0);
}

TEST_CASE("progress is told rarely, and a run can be cancelled") {
  std::vector<Node> nodes;
  for (std::uint32_t i = 0; i < 200'000; ++i) nodes.push_back(compute(1));
  const workload::Workload job = make_job({nodes});
  std::vector<std::uint64_t> reports;
  EngineOptions options;
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    CHECK(total == 200'000);
    reports.push_back(done);
  };
  run(job, options);
  CHECK(reports == std::vector<std::uint64_t>{65'536, 131'072, 196'608});

  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  options.on_progress = [&](std::uint64_t, std::uint64_t) { cancel = true; };
  FixedNetwork network;
  const auto cancelled = execute(job, network, options);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().message == "cancelled");
}

}  // namespace orrery::simulate::testing

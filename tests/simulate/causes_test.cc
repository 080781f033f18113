#include "simulate/causes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "comm_cases.h"
#include "random_job.h"
#include "simulate/engine/engine.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

struct Executed {
  workload::Workload job;
  JobPlan plan;
  Schedule schedule;
  Causes causes;

  explicit Executed(workload::Workload given, std::int64_t eager_limit_bytes = -1, bool told = true)
      : job(std::move(given)),
        plan(take(plan_job(job, {}))),
        schedule(run(job, eager_limit_bytes, told)),
        causes(plan, schedule) {}

  static Schedule run(const workload::Workload& job, std::int64_t eager_limit_bytes, bool told) {
    FixedNetwork network(100, 1);
    EngineOptions options;
    options.eager_limit_bytes = eager_limit_bytes;
    options.eager_overhead_ps = 7;
    options.keep_causes = told;
    return take(execute(job, network, options));
  }
  std::vector<PathPiece> path() { return critical_path(causes, plan.workload(), schedule); }
};

}  // namespace

TEST_CASE("why an activity started: nothing, a dependency, a slot, its turn") {
  for (const bool told : {true, false}) {
    Executed run(make_job({{compute(10), compute(20), compute(5, {0}), all_reduce(8, {1}), all_reduce(8, {1})},
                           {all_reduce(8), all_reduce(8)}}),
                 -1, told);
    CHECK(run.schedule.causes.empty() == !told);
    CHECK(run.causes.of_start({0, 0}).kind == CauseKind::begin);
    CHECK(run.causes.of_start({0, 1}) == Cause{CauseKind::slot, {0, 0}});
    CHECK(run.causes.of_start({0, 2}) ==
          Cause{CauseKind::slot, {0, 1}});  // ready at 10, but its device was busy until 30
    CHECK(run.causes.ready_of({0, 2}) == 10);
    CHECK(run.causes.of_start({0, 3}) == Cause{CauseKind::dependency, {0, 1}});
    CHECK(run.causes.of_start({0, 4}) == Cause{CauseKind::turn, {0, 3}});
    CHECK(run.causes.last_arrival({1, 0}) == ActivityPlace{0, 3});
    CHECK(run.causes.last_arrival({0, 3}) == ActivityPlace{0, 3});
    CHECK(run.causes.last_place({0, 3}) == kItself);
  }
}

TEST_CASE("of causes at one moment a dependency comes first, then the smallest activity") {
  for (const bool told : {true, false}) {
    // 3 and 4 become ready when both computes have ended; of 4 one start would be enough, but that was before.
    Executed run(make_job({{compute(10), on_host(10), compute(5), with({1}, compute(1, {1, 0})), nothing({1, 0})}}), -1,
                 told);
    CHECK(run.causes.of_start({0, 2}) == Cause{CauseKind::slot, {0, 0}});
    CHECK(run.causes.of_start({0, 4}) == Cause{CauseKind::dependency, {0, 0}});
    CHECK(run.causes.of_start({0, 3}) == Cause{CauseKind::slot, {0, 2}});
  }
}

TEST_CASE("who took whose message, where a receive was open, is who was waited for") {
  Node any = recv(workload::kAnyPeer, 10);
  any.flags = workload::activity::kHasPeer;
  for (const std::int64_t limit : {std::int64_t{-1}, std::int64_t{1'000}}) {
    for (const bool told : {true, false}) {
      Executed run(make_job({{any}, {compute(500), send(0, 10, {0})}}), limit, told);
      CHECK(run.causes.last_arrival({0, 0}) == ActivityPlace{1, 1});
      CHECK(run.causes.is_eager({0, 0}) == (limit > 0));
    }
  }
}

TEST_CASE("the critical path goes to the rank that was last") {
  Executed run(make_job(
      {{compute(10), all_reduce(8, {0}), compute(500, {1})}, {compute(900), all_reduce(8, {0}), compute(20, {1})}}));
  const std::vector<PathPiece> path = run.path();
  REQUIRE(path.size() == 3);
  CHECK(path[0].place == ActivityPlace{1, 0});
  CHECK(path[0].to_ps == 900);
  CHECK(path[1].place == ActivityPlace{0, 1});  // the data moves
  CHECK(path[1].then == CauseKind::last_arrival);
  CHECK(path[1].to_ps == 1008);
  CHECK(path[2].place == ActivityPlace{0, 2});
  CHECK(path[2].then == CauseKind::dependency);
}

TEST_CASE("an eager message is on the path from when its send has ended") {
  Executed run(make_job({{compute(50), send(1, 10, {0})}, {recv(0, 10), compute(5, {0})}}), 1'000);
  const std::vector<PathPiece> path = run.path();
  REQUIRE(path.size() == 4);
  CHECK(path[1].place == ActivityPlace{0, 1});
  CHECK(path[1].to_ps == 57);
  CHECK(path[2].place == ActivityPlace{1, 0});
  CHECK(path[2].from_ps == 57);
  CHECK(path[2].to_ps == 167);
}

TEST_CASE("the pieces of the path touch and make up the whole run") {
  CHECK(rc::check([] {
    Executed run(make_job(random_ranks()), *rc::gen::element<std::int64_t>(-1, 100, 1'000),
                 *rc::gen::arbitrary<bool>());
    const std::vector<PathPiece> path = run.path();
    if (run.schedule.makespan_ps() == 0) return;
    RC_ASSERT(!path.empty());
    RC_ASSERT(path.front().from_ps == 0);
    RC_ASSERT(path.back().to_ps == run.schedule.makespan_ps());
    for (std::size_t i = 1; i < path.size(); ++i) RC_ASSERT(path[i - 1].to_ps == path[i].from_ps);
  }));
}

// Random jobs; some dependencies need only a start, and durations are few, so that much happens at one moment.
std::vector<std::vector<Node>> coinciding_ranks() {
  std::vector<std::vector<Node>> ranks = random_ranks();
  const bool coarse = *rc::gen::arbitrary<bool>();
  for (std::vector<Node>& nodes : ranks) {
    for (Node& node : nodes) {
      if (coarse) node.duration = node.duration / 250 * 50, node.bytes = node.bytes / 100 * 50;
      for (std::size_t i = 0; i < node.after.size();) {
        if (draw(0, 5) != 0) ++i;
        else node.with.push_back(node.after[i]), node.after.erase(node.after.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  return ranks;
}

TEST_CASE("what the engine tells is what the times say") {
  CHECK(rc::check([] {
    const workload::Workload job = make_job(coinciding_ranks(), {}, *rc::gen::arbitrary<bool>());
    EngineOptions options;
    options.eager_limit_bytes = *rc::gen::element<std::int64_t>(-1, 100, 1'000);
    options.eager_overhead_ps = *rc::gen::element<TimePs>(0, 7, 50);
    options.compute_slots = static_cast<std::uint32_t>(draw(1, 3));
    options.keep_causes = true;
    const JobPlan plan = take(plan_job(job, options));
    FixedNetwork network(50, 1), again(50, 1);
    const Schedule told = take(execute(job, network, options));
    options.keep_causes = false;
    const Schedule untold = take(execute(job, again, options));
    Causes from_engine(plan, told), from_times(plan, untold);
    RC_ASSERT(sum_waits(from_engine, plan, told).rows() == sum_waits(from_times, plan, untold).rows());
    for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
      for (std::uint32_t i = 0; i < job.program(rank).size(); ++i) {
        RC_ASSERT(from_engine.of_start({rank, i}) == from_times.of_start({rank, i}));
        RC_ASSERT(from_engine.last_place({rank, i}) == from_times.last_place({rank, i}));
        RC_ASSERT(from_engine.last_arrival({rank, i}) == from_times.last_arrival({rank, i}));
        const ActivityKind kind = job.program(rank).kinds[i];
        if (kind != ActivityKind::send && kind != ActivityKind::recv) continue;
        RC_ASSERT(from_engine.is_eager({rank, i}) == from_times.is_eager({rank, i}));
      }
    }
  }));
}

}  // namespace orrery::simulate::testing

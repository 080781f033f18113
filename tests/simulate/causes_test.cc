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

  explicit Executed(workload::Workload given, std::int64_t eager_limit_bytes = -1)
      : job(std::move(given)), plan(take(plan_job(job, {}))), schedule(run(job, eager_limit_bytes)), causes(plan, schedule) {}

  static Schedule run(const workload::Workload& job, std::int64_t eager_limit_bytes) {
    FixedNetwork network(100, 1);
    EngineOptions options;
    options.eager_limit_bytes = eager_limit_bytes;
    options.eager_overhead_ps = 7;
    return take(execute(job, network, options));
  }
  std::vector<PathPiece> path() { return critical_path(causes, plan, schedule); }
};

}  // namespace

TEST_CASE("why an activity started: nothing, a dependency, a slot, its turn") {
  Executed run(
      make_job({{compute(10), compute(20), compute(5, {0}), all_reduce(8, {1}), all_reduce(8, {1})}, {all_reduce(8), all_reduce(8)}}));
  CHECK(run.causes.of_start({0, 0}).kind == CauseKind::begin);
  CHECK(run.causes.of_start({0, 1}).kind == CauseKind::slot);
  CHECK(run.causes.of_start({0, 1}).place == ActivityPlace{0, 0});
  CHECK(run.causes.of_start({0, 2}).kind == CauseKind::slot);  // ready at 10, but its device was busy until 30
  CHECK(run.causes.of_start({0, 2}).place == ActivityPlace{0, 1});
  CHECK(run.causes.of_start({0, 3}).kind == CauseKind::dependency);
  CHECK(run.causes.of_start({0, 4}).kind == CauseKind::turn);
  CHECK(run.causes.last_arrival({1, 0}) == ActivityPlace{0, 3});
  CHECK(run.causes.last_arrival({0, 3}) == ActivityPlace{0, 3});
}

TEST_CASE("the critical path goes to the rank that was last") {
  Executed run(make_job({{compute(10), all_reduce(8, {0}), compute(500, {1})}, {compute(900), all_reduce(8, {0}), compute(20, {1})}}));
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
    Executed run(make_job(random_ranks()), *rc::gen::element<std::int64_t>(-1, 100, 1'000));
    const std::vector<PathPiece> path = run.path();
    if (run.schedule.makespan_ps() == 0) return;
    RC_ASSERT(!path.empty());
    RC_ASSERT(path.front().from_ps == 0);
    RC_ASSERT(path.back().to_ps == run.schedule.makespan_ps());
    for (std::size_t i = 1; i < path.size(); ++i) RC_ASSERT(path[i - 1].to_ps == path[i].from_ps);
  }));
}

}  // namespace orrery::simulate::testing

#include <doctest/doctest.h>

#include <limits>

#include "simulate/engine/engine.h"
#include "small_job.h"

namespace orrery::simulate::testing {
namespace {

/// Exchanges and sums take 100.
Schedule run(const std::vector<Node>& program, double slowdown) {
  FixedNetwork network(100, 0);
  EngineOptions options;
  options.slowdown_beside_exchanges = slowdown;
  const workload::Workload job = make_job({program, program});
  Result<Schedule> schedule = execute(job, network, options);
  if (!schedule) FAIL(schedule.error().to_string());
  return std::move(*schedule);
}

Node exchange(After after = {}) {
  Node node = all_reduce(1, std::move(after));
  node.collective = Collective::all_to_all;
  return node;
}

}  // namespace

TEST_CASE("computing beside an exchange takes longer, as long as both run") {
  // 100 beside the exchange do 50 of 300, the rest is done alone.
  const Schedule first = run({compute(300), exchange()}, 2);
  CHECK(first.end_ps[0] == 350);
  CHECK(first.end_ps[1] == 100);
  // Alone from 0 to 50 and from 150 on.
  const Schedule between = run({compute(300), on_host(50), exchange({1})}, 2);
  CHECK(between.end_ps[2] == 150);
  CHECK(between.end_ps[0] == 350);
  // What is over before the exchange is.
  CHECK(run({compute(40), exchange()}, 2).end_ps[0] == 80);
  // Two exchanges at once slow no more than one.
  CHECK(run({compute(300), exchange(), exchange()}, 2).end_ps[0] == 400);
}

TEST_CASE("what comes after slowed computing starts when it has ended, and once") {
  const Schedule schedule = run({compute(300), exchange(), compute(10, {0}), exchange({2})}, 2);
  CHECK(schedule.start_ps[2] == 350);
  CHECK(schedule.end_ps[2] == 360);
  CHECK(schedule.end_ps[3] == 460);
  CHECK(schedule.ranks[0].compute_ps == 360);
  CHECK(schedule.makespan_ps() == 460);
}

TEST_CASE("other collectives and a slowdown of 1 change nothing") {
  CHECK(run({compute(300), all_reduce(1)}, 2).end_ps[0] == 300);
  CHECK(run({compute(300), exchange()}, 1).end_ps[0] == 300);
  CHECK(run({on_host(300), exchange()}, 2).end_ps[0] == 300);
}

TEST_CASE("a slowdown that is none is refused") {
  for (const double slowdown : {0.5, 0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    EngineOptions options;
    options.slowdown_beside_exchanges = slowdown;
    CHECK_FALSE(options.check().ok());
  }
}

}  // namespace orrery::simulate::testing

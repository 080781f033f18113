// Waits added up while a run goes, and from a schedule that was kept: the same sums, with ranks folded or not.
#include "simulate/wait_sums.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "comm_cases.h"
#include "generate/pipeline_step.h"
#include "random_job.h"
#include "simulate/causes.h"
#include "simulate/engine/engine.h"
#include "simulate/summed_schedule.h"
#include "windowed_source.h"

namespace orrery::simulate::testing {
namespace {

WaitSums kept_waits(const workload::Workload& job, EngineOptions options) {
  options.keep_causes = true;
  FixedNetwork network(100, 1);
  const JobPlan plan = take(plan_job(job, options));
  const Schedule schedule = take(execute(job, network, options));
  Causes causes(plan, schedule);
  return sum_waits(causes, plan, schedule);
}

WaitSums summed_waits(workload::WorkloadSource& source, const EngineOptions& options) {
  FixedNetwork network(100, 1);
  SummedSchedule sums(true);
  const auto schedule = execute(source, network, options, sums);
  REQUIRE(schedule.ok());
  return sums.waits();
}

generate::PipelineStep small_pipeline() {
  generate::PipelineStep step;
  step.tensor_parallel = 2;
  step.data_parallel = 2;
  step.pipeline_parallel = 2;
  step.microbatches = 2;
  step.layers = 4;
  step.kernels_per_layer = 2;
  step.activation_bytes = 100'000;
  step.gradient_bytes = 1'000'000;
  step.steps = 3;
  return step;
}

}  // namespace

TEST_CASE("how long was waited for a slot, a turn, and the last to arrive") {
  const workload::Workload job = make_job({{compute(100), compute(20), all_reduce(8, {0}), all_reduce(8, {0})},
                                           {compute(40), all_reduce(8, {0}), all_reduce(8, {0})},
                                           {compute(40), all_reduce(8, {0}), all_reduce(8, {0})}});
  const WaitSums waits = kept_waits(job, {});
  const auto row = [&](CauseKind cause, ActivityKind kind) { return waits.rows().at({cause, kind}); };
  CHECK(row(CauseKind::slot, ActivityKind::compute) == WaitSum{1, 100, 100});
  // The first collective moves from 100 to 208: the second was ready at 100 and at 40.
  CHECK(row(CauseKind::turn, ActivityKind::collective) == WaitSum{3, 108 + 168 + 168, 168});
  CHECK(row(CauseKind::last_arrival, ActivityKind::collective) == WaitSum{2, 60 + 60, 60});
  CHECK(row(CauseKind::dependency, ActivityKind::collective) == WaitSum{3, 0, 0});
  const auto late = waits.late_ranks();
  REQUIRE(late.size() == 1);
  CHECK(late.at(0) == WaitSum{2, 120, 60});
}

TEST_CASE("who came last is the sender that was late, not one whose message was under way") {
  EngineOptions eager;
  eager.eager_limit_bytes = 1'000;
  eager.eager_overhead_ps = 7;
  const WaitSums waits = kept_waits(
      make_job({{compute(50), send(1, 10, {0})}, {recv(0, 10)}, {send(3, 10)}, {compute(20), recv(2, 10, {0})}}),
      eager);
  const auto late = waits.late_ranks();
  REQUIRE(late.size() == 1);
  CHECK(late.at(0) == WaitSum{1, 57, 57});
}

TEST_CASE("what is added up while windows come is what a kept schedule adds up to") {
  CHECK(rc::check([] {
    std::vector<std::vector<Node>> ranks = random_ranks();
    std::vector<std::vector<std::uint32_t>> cuts;
    for (std::vector<Node>& nodes : ranks) {
      const auto size = static_cast<std::uint32_t>(nodes.size());
      cuts.push_back(size < 2 ? std::vector{size} : std::vector{size / 2, size});
      nodes = anchored(nodes, cuts.back());
    }
    EngineOptions options;
    options.eager_limit_bytes = *rc::gen::element<std::int64_t>(-1, 100, 1'000);
    options.eager_overhead_ps = *rc::gen::element<TimePs>(0, 7);
    WindowedSource source(make_job(ranks), ranks, cuts, false);
    const WaitSums kept = kept_waits(make_job(ranks), options), summed = summed_waits(source, options);
    RC_ASSERT(kept.rows() == summed.rows());
    RC_ASSERT(kept.late_ranks() == summed.late_ranks());
  }));
}

TEST_CASE("ranks that are executed as one wait as if each were executed") {
  const workload::Workload job = take(generate::pipeline_step(small_pipeline()));
  const auto source = take(generate::pipeline_source(small_pipeline()));
  EngineOptions every, folded;
  every.use_symmetry = false;
  folded.detail = Detail::executed_ranks;
  const WaitSums expected = kept_waits(job, every);
  REQUIRE(expected.late_ranks().size() > 2);
  for (const WaitSums& waits : {kept_waits(job, folded), summed_waits(*source, folded), summed_waits(*source, every)}) {
    CHECK(waits.rows() == expected.rows());
    CHECK(waits.late_ranks() == expected.late_ranks());
  }
}

}  // namespace orrery::simulate::testing

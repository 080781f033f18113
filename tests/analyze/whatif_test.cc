// A causal graph with edits against itself as it was.
#include "analyze/whatif/whatif.h"

#include <doctest/doctest.h>

#include "analyze/edited.h"
#include "base/parallel.h"
#include "causal/step_path_text.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::edits_of;
using causal::CausalGraph;
using causal::EdgeKind;
using causal::testing::Lines;
using causal::testing::SmallStep;
using causal::testing::SmallTrace;
using orrery::testing::Action;
using orrery::testing::all_actions;
using orrery::testing::programs;
using orrery::testing::simulate;

namespace {

CausalGraph random_step() {
  const auto actions = *programs(3, 2, 3, all_actions());
  const auto job = orrery::testing::simulate(actions);
  RC_PRE(job.span > 0);
  const SmallTrace small(job.lines);
  Diagnostics diagnostics;
  auto step = make_causal_graph(small.trace(), small.rank(), causal::testing::whole(), diagnostics);
  RC_PRE(step.ok());
  return std::move(*step);
}

// A host that keeps a device busy: the host is ahead.
constexpr const char* kDeviceBound = R"(
    1       0    10   cuda_runtime  cudaLaunchKernel  correlation=1
    1       10   10   cuda_runtime  cudaLaunchKernel  correlation=2
    1       20   10   cuda_runtime  cudaLaunchKernel  correlation=3
    1       30   60   cpu_op        aten::add
    gpu0/7  5    100  kernel        gemm              correlation=1
    gpu0/7  107  50   kernel        softmax           correlation=2
    gpu0/7  159  100  kernel        gemm              correlation=3
)";

}  // namespace

TEST_CASE("faster kernels until the host is the bound") {
  const SmallStep small(kDeviceBound);
  const WhatIf twice = what_if(edits_of(small.job, {"kernel:gemm * 0.5"}), 10);
  CHECK(twice.before.length == 259 * kPsPerUs);
  CHECK(twice.after.length == 159 * kPsPerUs);
  CHECK(twice.speedup() == doctest::Approx(259.0 / 159.0));
  CHECK(edits_of(small.job, {"kernel:gemm * 0.5"}).selections()[0].count() == 2);
  REQUIRE(twice.moves.size() == 1);
  CHECK(twice.moves[0].piece.kind == EdgeKind::kernel);
  CHECK(small.job.strings.text(twice.moves[0].piece.name) == "gemm");
  CHECK(twice.moves[0].before == 200 * kPsPerUs);
  CHECK(twice.moves[0].after == 100 * kPsPerUs);

  const WhatIf free = what_if(edits_of(small.job, {"gpu remove"}), 10);
  CHECK(free.after.length == 90 * kPsPerUs);
  CHECK(causal::testing::path_lines(small.job, free.edited.solution) ==
        Lines{"cpu_runtime cudaLaunchKernel 10", "cpu_runtime cudaLaunchKernel 10", "cpu_runtime cudaLaunchKernel 10",
              "cpu_operator aten::add 60"});
}

TEST_CASE("moves: the largest changes of the path first, at most as many as asked for") {
  const SmallStep small(kDeviceBound);
  const WhatIf free = what_if(edits_of(small.job, {"gpu remove"}), 3);
  REQUIRE(free.moves.size() == 3);
  CHECK(free.moves[0].before - free.moves[0].after == 200 * kPsPerUs);
  CHECK(free.moves[1].after - free.moves[1].before == 60 * kPsPerUs);
  CHECK(free.moves[2].before - free.moves[2].after == 50 * kPsPerUs);
}

TEST_CASE("an edit that selects nothing changes nothing") {
  const SmallStep small(kDeviceBound);
  const WhatIf nothing = what_if(edits_of(small.job, {"kernel:nothing * 0.5"}), 10);
  CHECK(edits_of(small.job, {"kernel:nothing * 0.5"}).selections()[0].count() == 0);
  CHECK(nothing.after.length == nothing.before.length);
  CHECK(nothing.moves.empty());
}

TEST_CASE("a sweep is the same question for several factors") {
  const SmallStep small(kDeviceBound);
  const auto points = sweep(edits_of(small.job, {"kernel:gemm * 1", "gap:launch = 0"}), {0.0, 0.5, 1.0, 2.0});
  REQUIRE(points.size() == 4);
  for (const SweepRow& point : points) {
    CHECK(point.length ==
          what_if(edits_of(small.job, {"kernel:gemm * " + std::to_string(point.factor), "gap:launch = 0"}), 0)
              .after.length);
  }
  CHECK(sweep(edits_of(small.job, {"kernel * 1"}), {}).empty());
}

TEST_CASE("scaling everything by 1 changes nothing, by 2 doubles the step") {
  CHECK(rc::check([] {
    const CausalGraph step = random_step();
    const WhatIf same = what_if(edits_of(step, {"all * 1"}), 100);
    RC_ASSERT(same.after.length == step.span);
    RC_ASSERT(same.moves.empty());
    RC_ASSERT(same.edited.solution.path().slots == same.unedited.path().slots);
    RC_ASSERT(what_if(edits_of(step, {"all * 2"}), 0).after.length == 2 * step.span);
    RC_ASSERT(what_if(edits_of(step, {"all remove"}), 0).after.length == 0);
    const auto half = what_if(edits_of(step, {"all * 0.5"}), 0).after.length;
    RC_ASSERT(std::llabs(2 * half - step.span) <= static_cast<TimePs>(2 * step.graph.edge_count()));
  }));
}

TEST_CASE("the more something takes, the longer the step") {
  CHECK(rc::check([] {
    const CausalGraph step = random_step();
    const auto what =
        *rc::gen::elementOf(std::vector<std::string>{"cpu", "op", "runtime", "gpu", "kernel", "comm", "copy", "gap",
                                                     "gap:launch", "gap:sync", "all", "gpu stream 7", "gpu device 1"});
    TimePs shorter = 0;
    for (const SweepRow& point : sweep(edits_of(step, {what + " * 1"}), {0, 0.25, 0.5, 0.9, 1, 1.1, 2, 10})) {
      RC_ASSERT(point.length >= shorter);
      if (point.factor == 1) RC_ASSERT(point.length == step.span);
      shorter = point.length;
    }
    RC_ASSERT(what_if(edits_of(step, {what + " + 1us"}), 0).after.length >= step.span);
    RC_ASSERT(what_if(edits_of(step, {what + " - 1us"}), 0).after.length <= step.span);
    RC_ASSERT(what_if(edits_of(step, {what + " remove"}), 0).after.length <= step.span);
  }));
}

TEST_CASE("answers do not depend on the number of threads") {
  CHECK(rc::check([] {
    const CausalGraph step = random_step();
    const auto answer = [&](std::size_t threads) {
      set_thread_count(threads);
      std::vector<TimePs> lengths;
      for (const SweepRow& point : sweep(edits_of(step, {"kernel * 1", "cpu * 1"}), {0.1, 0.5, 0.7, 1, 3}))
        lengths.push_back(point.length);
      const PathSums path = take_path(step, graph::solve(step.graph, step.end), 5, true).sums;
      for (const Contributor& c : path.contributors) lengths.push_back(c.gain_if_free), lengths.push_back(c.name);
      return lengths;
    };
    const auto one = answer(1);
    const auto two = answer(2);
    set_thread_count(0);
    RC_ASSERT(one == two);
  }));
}

// The longest path by kind and by contributor.
#include "analyze/path/causal_path.h"

#include <doctest/doctest.h>

#include <cmath>

#include "causal/step_path_text.h"
#include "graph/edits.h"
#include "graph/slack.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::CausalGraph;
using causal::EdgeKind;
using causal::testing::SmallStep;
using causal::testing::SmallTrace;
using orrery::testing::Action;
using orrery::testing::all_actions;
using orrery::testing::programs;

namespace {

constexpr std::size_t kAll = ~std::size_t{0};

PathSums path_of(const CausalGraph& step, std::size_t top = kAll, bool with_gains = false) {
  return take_path(step, graph::solve(step.graph, step.end), top, with_gains).sums;
}

const Contributor& find(const CausalGraph& step, const PathSums& path, EdgeKind kind, std::string_view name) {
  for (const Contributor& c : path.contributors) {
    if (c.kind == kind && step.strings.text(c.name) == name) return c;
  }
  FAIL("no contributor ", name);
  return path.contributors.front();
}

bool is_member(const CausalGraph& step, const Contributor& group, graph::Slot slot) {
  if (step.kind(slot) != group.kind) return false;
  if (!causal::is_host(group.kind) && !causal::is_device(group.kind) && group.kind != EdgeKind::sync_return)
    return true;
  const std::uint32_t tag = step.graph.edge_tag(slot);
  return group.name == (tag == graph::kNoTag ? 0 : step.class_name[tag]);
}

// Whether no other path is as long: no node of the path could have been reached in time by another edge.
bool is_only_longest(const PathSums& path) {
  for (std::size_t i = 1; i < path.path.nodes.size(); ++i) {
    int tight = 0;
    for (const graph::Slot slot : path.solution.graph().incoming(path.path.nodes[i])) {
      tight += path.solution.finish(path.solution.graph().source(slot)) + path.solution.weight(slot) ==
                       path.solution.finish(path.path.nodes[i])
                   ? 1
                   : 0;
    }
    if (tight > 1) return false;
  }
  return true;
}

// Two long kernels with the same name, one beside the other, and a small one.
constexpr const char* kTwoStreams = R"(
    1       0    10   cuda_runtime  cudaLaunchKernel       correlation=1
    1       10   10   cuda_runtime  cudaLaunchKernel       correlation=2
    gpu0/7  20   100  kernel        gemm                   correlation=1
    gpu0/9  30   60   kernel        gemm                   correlation=2
    1       20   10   cuda_runtime  cudaLaunchKernel       correlation=3
    gpu0/7  121  4    gpu_memset    Memset                 correlation=3
    1       40   90   cuda_runtime  cudaDeviceSynchronize  correlation=4
)";

}  // namespace

TEST_CASE("a call whose work began before it returned counts once") {
  const SmallStep small(R"(
      1       0    10   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  8    100  kernel        gemm              correlation=1
  )");
  const PathSums path = path_of(small.job, kAll, true);
  const auto call = std::find_if(path.contributors.begin(), path.contributors.end(),
                                 [](const Contributor& of) { return of.kind == EdgeKind::cpu_runtime; });
  REQUIRE(call != path.contributors.end());
  CHECK(call->count == 1);
  CHECK(call->total == 10 * kPsPerUs);
  CHECK(call->on_path == 8 * kPsPerUs);
  CHECK(call->gain_if_free == 8 * kPsPerUs);
}

TEST_CASE("kinds and contributors of a path") {
  const SmallStep small(kTwoStreams);
  const PathSums path = path_of(small.job, kAll, true);
  CHECK(path.length() == 130 * kPsPerUs);
  CHECK(path.on_path(EdgeKind::kernel) == 100 * kPsPerUs);
  CHECK(path.on_path(EdgeKind::cpu_runtime) == 10 * kPsPerUs);
  CHECK(path.on_path(EdgeKind::launch_delay) == 10 * kPsPerUs);
  CHECK(path.on_path(EdgeKind::kernel_gap) == 1 * kPsPerUs);
  CHECK(path.on_path(EdgeKind::memory_set) == 4 * kPsPerUs);
  CHECK(path.on_path(EdgeKind::sync_return) == 5 * kPsPerUs);
  CHECK(path.unexplained() == 0);

  const Contributor& gemm = find(small.job, path, EdgeKind::kernel, "gemm");
  CHECK(&gemm == &path.contributors.front());
  CHECK(gemm.count == 2);
  CHECK(gemm.path_count == 1);
  CHECK(gemm.total == 160 * kPsPerUs);
  CHECK(gemm.on_path == 100 * kPsPerUs);
  CHECK(gemm.derivative() == doctest::Approx(0.625));
  CHECK(gemm.least_slack == 0);
  // Without any gemm the small kernel starts 20 us after its launch, and the wait is over at 20 + 20 + 4 + 5 = 49.
  CHECK(gemm.gain_if_free == (130 - 49) * kPsPerUs);
}

TEST_CASE("only the largest contributors, but all of them counted") {
  const SmallStep small(kTwoStreams);
  CHECK(path_of(small.job, 2).contributors.size() == 2);
  CHECK(path_of(small.job, 0).contributors.empty());
  CHECK(path_of(small.job, 0, true).contributors.empty());
  CHECK(path_of(small.job, 2).length() == 130 * kPsPerUs);
}

TEST_CASE("slack of what is not on the path") {
  const SmallStep small(R"(
      1       0    10   cuda_runtime  cudaLaunchKernel       correlation=1
      1       10   10   cuda_runtime  cudaLaunchKernel       correlation=2
      gpu0/7  20   100  kernel        long                   correlation=1
      gpu0/9  30   60   kernel        short                  correlation=2
      1       40   85   cuda_runtime  cudaDeviceSynchronize  correlation=4
      gpu0/-1 41   80   cuda_sync     "Context Sync"         correlation=4
  )");
  CHECK(find(small.job, path_of(small.job), EdgeKind::kernel, "short").least_slack == 30 * kPsPerUs);
}

TEST_CASE("the verdict names what takes at least a tenth, the largest first") {
  CHECK(verdict(path_of(SmallStep(kTwoStreams).job)) ==
        "80 % GPU compute-bound, 19 % launch- and sync-bound (time in the device runtime)");
  CHECK(verdict(path_of(SmallStep("1 0 100 cpu_op aten::mm").job)) == "100 % CPU-bound");
  CHECK(verdict(path_of(SmallStep("1 0 100 cpu_op DataLoader").job)) == "100 % bound by data loading");
  CHECK(verdict(path_of(SmallStep("gpu0/7 0 100 kernel ncclDevKernel").job)) == "100 % bound by communication");
  CHECK(verdict(path_of(SmallStep("gpu0/7 0 100 gpu_memcpy \"Memcpy HtoD\"").job)) == "100 % bound by memory copies");
  CHECK(verdict(path_of(SmallStep("gpu0/7 0 10 kernel a\ngpu0/7 500 10 kernel b").job)) ==
        "96 % idle without a recorded cause");
}

TEST_CASE("contributors and kinds add up to the step") {
  CHECK(rc::check([] {
    const auto actions = *programs(3, 2, 3, all_actions());
    const auto job = orrery::testing::simulate(actions);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    Diagnostics diagnostics;
    const auto step = make_causal_graph(small.trace(), small.rank(), causal::testing::whole(), diagnostics);
    RC_PRE(step.ok());
    const PathSums path = path_of(*step);
    TimePs by_kind = 0, by_contributor = 0, total_by_kind = 0, total_by_contributor = 0;
    for (const KindTotals& kind : path.kinds) by_kind += kind.on_path, total_by_kind += kind.total;
    for (const Contributor& c : path.contributors) {
      by_contributor += c.on_path, total_by_contributor += c.total;
      RC_ASSERT(c.on_path <= c.total);
      RC_ASSERT(c.path_count <= c.count);
      RC_ASSERT(c.least_slack >= 0);
      RC_ASSERT(c.path_count == 0 || c.least_slack == 0);
    }
    RC_ASSERT(by_kind == path.length());
    RC_ASSERT(by_contributor == path.length());
    RC_ASSERT(total_by_kind == total_by_contributor);
    for (std::size_t i = 1; i < path.contributors.size(); ++i)
      RC_ASSERT(path.contributors[i - 1].on_path >= path.contributors[i].on_path);
  }));
}

TEST_CASE("what a contributor has on the path is the derivative of the step time") {
  CHECK(rc::check([] {
    const auto actions = *programs(2, 1, 2, all_actions());
    const auto job = orrery::testing::simulate(actions);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    Diagnostics diagnostics;
    const auto step = make_causal_graph(small.trace(), small.rank(), causal::testing::whole(), diagnostics);
    RC_PRE(step.ok());
    const PathSums path = path_of(*step);
    const Contributor group = *rc::gen::elementOf(path.contributors);
    // Times of the job are whole nanoseconds: another path is shorter by a thousand picoseconds at least, and cannot
    // catch up by this.
    constexpr double kGrowth = 1.0 / (1 << 24);
    graph::Edits edits(step->graph);
    for (graph::Slot slot = 0; slot < step->graph.edge_count(); ++slot) {
      if (!is_member(*step, group, slot)) continue;
      edits.set_weight(slot, std::llround(static_cast<double>(step->graph.weight(slot)) * (1 + kGrowth)));
    }
    RC_PRE(static_cast<double>(group.total) * kGrowth < 1000);
    const auto grown = static_cast<double>(graph::solve(edits, step->end).length() - path.length());
    const double expected = static_cast<double>(group.on_path) * kGrowth;
    const double rounding = 0.5 * static_cast<double>(group.count) + 1;
    RC_ASSERT(grown >= expected - rounding);
    if (is_only_longest(path)) RC_ASSERT(grown <= expected + rounding);
  }));
}

TEST_CASE("the gain of a contributor is what the step loses when it takes no time") {
  CHECK(rc::check([] {
    const auto actions = *programs(2, 1, 2, all_actions());
    const auto job = orrery::testing::simulate(actions);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    Diagnostics diagnostics;
    const auto step = make_causal_graph(small.trace(), small.rank(), causal::testing::whole(), diagnostics);
    RC_PRE(step.ok());
    const PathSums path = path_of(*step, 5, true);
    for (const Contributor& group : path.contributors) {
      graph::Edits edits(step->graph);
      for (graph::Slot slot = 0; slot < step->graph.edge_count(); ++slot) {
        if (is_member(*step, group, slot)) edits.set_weight(slot, 0);
      }
      RC_ASSERT(group.gain_if_free == path.length() - graph::solve(edits, step->end).length());
      RC_ASSERT(group.gain_if_free >= 0);
      RC_ASSERT(group.gain_if_free <= group.on_path);
    }
  }));
}

TEST_CASE("with typical delays a step takes as long as its work and its typical gaps") {
  const SmallStep small(R"(
      1       0    10  cuda_runtime  cudaLaunchKernel  correlation=1
      1       10   10  cuda_runtime  cudaLaunchKernel  correlation=2
      1       20   10  cuda_runtime  cudaLaunchKernel  correlation=3
      gpu0/7  6    50  kernel        first             correlation=1
      gpu0/7  58   50  kernel        second            correlation=2
      gpu0/7  120  50  kernel        late              correlation=3
  )");
  CHECK(small.job.ranks.front().typical_kernel_gap == 2 * kPsPerUs);
  CHECK(typical_replay(small.job) == (6 + 50 + 2 + 50 + 2 + 50) * kPsPerUs);  // measured: 170
}

TEST_CASE("idleness without a cause takes no time in it") {
  const SmallStep small("gpu0/7 0 10 kernel a\ngpu0/7 500 10 kernel b");
  CHECK(small.span_us() == 510);
  CHECK(typical_replay(small.job) == 20 * kPsPerUs);
}

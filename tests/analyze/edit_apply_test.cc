// Which edges an edit selects, and what becomes of them.
#include <doctest/doctest.h>

#include "analyze/edited.h"
#include "causal/step_path_text.h"

using namespace orrery;
using namespace orrery::analyze;
using causal::EdgeKind;
using causal::testing::Lines;
using causal::testing::SmallStep;

namespace {

constexpr const char* kTwoPasses = R"(
    1       0    200  user_annotation  ProfilerStep#1
    1       0    40   user_annotation  "## forward ##"
    1       5    20   cpu_op           aten::mm
    1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
    gpu0/7  20   30   kernel           gemm              correlation=1
    1       50   100  user_annotation  "## backward ##"
    2       60   60   cpu_op           MmBackward
    2       65   5    cuda_runtime     cudaLaunchKernel  correlation=2
    gpu0/7  75   30   kernel           gemm_backward     correlation=2
    2       100  5    cuda_runtime     cudaLaunchKernel  correlation=3
    gpu1/9  110  30   kernel           ncclDevKernel     correlation=3
    1       160  5    cuda_runtime     cudaMemsetAsync   correlation=4
    gpu0/7  170  4    gpu_memset       Memset            correlation=4
)";

struct Applied {
  Lines changes;  ///< "kernel gemm 30 -> 15"
  std::vector<std::uint64_t> matched;
};

Applied apply_to(const causal::CausalGraph& job, const std::vector<std::string>& texts,
                 std::optional<double> factor = std::nullopt) {
  const GraphEdits edits = analyze::testing::edits_of(job, texts);
  Applied result;
  for (const EditSelection& selection : edits.selections()) result.matched.push_back(selection.count());
  const graph::Edits weights = edits.weights(factor);
  const graph::Solution solution = graph::solve(weights, job.end);
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    if (solution.weight(slot) == job.graph.weight(slot)) continue;
    result.changes.push_back(causal::testing::describe(job, slot, job.graph.weight(slot)) + " -> " +
                             causal::testing::us_text(solution.weight(slot)));
  }
  return result;
}

Lines changes(const std::vector<std::string>& texts) { return apply_to(SmallStep(kTwoPasses).job, texts).changes; }

}  // namespace

TEST_CASE("kernels by name, and not what merely has to do with them") {
  CHECK(changes({"kernel:gemm * 0.5"}) == Lines{"kernel gemm 30 -> 15"});
  CHECK(changes({"kernel:gemm* * 0.5"}) == Lines{"kernel gemm 30 -> 15", "kernel gemm_backward 30 -> 15"});
  CHECK(changes({"kernel:/backward$/ = 1us"}) == Lines{"kernel gemm_backward 30 -> 1"});
  CHECK(changes({"comm remove"}) == Lines{"communication ncclDevKernel 30 -> 0"});
  CHECK(changes({"set + 1us"}) == Lines{"memory_set Memset 4 -> 5"});
  CHECK(changes({"gpu:*M* * 2"}) == Lines{"memory_set Memset 4 -> 8"});
}

TEST_CASE("by stream and device") {
  CHECK(changes({"gpu stream 7 * 2"}).size() == 3);
  CHECK(changes({"gpu stream 9 * 2"}) == Lines{"communication ncclDevKernel 30 -> 60"});
  CHECK(changes({"gpu device 1 * 2"}) == Lines{"communication ncclDevKernel 30 -> 60"});
  CHECK(changes({"gpu device 1 stream 7 * 2"}).empty());
  CHECK(changes({"op stream 7 * 2"}).empty());  // the host has no streams
  CHECK(changes({"gap:launch stream 9 = 0"}) == Lines{"launch_delay ncclDevKernel 5 -> 0"});
}

TEST_CASE("inside an annotation: device work where it was launched, and what other threads were given to do in it") {
  CHECK(changes({"kernel in *forward* * 2"}) == Lines{"kernel gemm 30 -> 60"});
  CHECK(changes({"gpu in *backward* * 2"}) ==
        Lines{"kernel gemm_backward 30 -> 60", "communication ncclDevKernel 30 -> 60"});
  CHECK(changes({"op in \"## backward ##\" * 2"}) == Lines{"cpu_operator MmBackward 5 -> 10",
                                                           "cpu_operator MmBackward 30 -> 60",
                                                           "cpu_operator MmBackward 15 -> 30"});
  CHECK(changes({"gpu in ProfilerStep* * 2"}).size() == 4);
  CHECK(changes({"gpu in nowhere * 2"}).empty());
}

TEST_CASE("edits apply in order, each to the result of those before it") {
  CHECK(changes({"kernel:gemm * 2", "kernel:gemm + 1us"}) == Lines{"kernel gemm 30 -> 61"});
  CHECK(changes({"kernel:gemm + 1us", "kernel:gemm * 2"}) == Lines{"kernel gemm 30 -> 62"});
  CHECK(changes({"kernel:gemm = 7us", "kernel:gemm * 2"}) == Lines{"kernel gemm 30 -> 14"});
  CHECK(changes({"kernel:gemm * 2", "kernel:gemm * 0.5"}).empty());
  CHECK(changes({"kernel:gemm remove", "kernel:gemm * 5"}) == Lines{"kernel gemm 30 -> 0"});
}

TEST_CASE("time does not become negative, nor more than a graph can hold") {
  CHECK(changes({"kernel:gemm - 100us"}) == Lines{"kernel gemm 30 -> 0"});
  CHECK(changes({"kernel:gemm - 30us"}) == Lines{"kernel gemm 30 -> 0"});
  CHECK(changes({"kernel:gemm - 29.5us"}) == Lines{"kernel gemm 30 -> 0.5"});
  const std::string most = "kernel gemm 30 -> " + causal::testing::us_text(graph::kMaxWeightPs);
  CHECK(changes({"kernel:gemm * 1e300"}) == Lines{most});
  CHECK(changes({"kernel:gemm + 2000000s", "kernel:gemm + 2000000s"}) == Lines{most});
  CHECK(changes({"kernel:gemm = 2000000s", "kernel:gemm * 4", "kernel:gemm - 2000000s", "kernel:gemm - 2000000s"}) ==
        Lines{"kernel gemm 30 -> 0"});
}

TEST_CASE("how much an edit selects is told, also when nothing changes") {
  const SmallStep small(kTwoPasses);
  CHECK(apply_to(small.job, {"kernel * 1", "kernel:nothing * 2", "kernel remove", "comm = 30us"}).matched ==
        std::vector<std::uint64_t>{2, 0, 2, 1});
  CHECK(apply_to(small.job, {"kernel * 1"}).changes.empty());
  CHECK(apply_to(small.job, {}).matched.empty());
}

TEST_CASE("edges that belong to no event are selected only without a name or filter") {
  const SmallStep small(R"(
      1  0    10  cpu_op  aten::mm
      1  100  10  cpu_op  aten::mm
  )");
  CHECK(apply_to(small.job, {"untraced = 0"}).changes == Lines{"cpu_untraced 90 -> 0"});
  CHECK(apply_to(small.job, {"untraced:\"\" = 0"}).changes == Lines{"cpu_untraced 90 -> 0"});  // what has no name
  CHECK(apply_to(small.job, {"untraced:* = 0"}).changes.empty());
  CHECK(apply_to(small.job, {"untraced stream 7 = 0"}).changes.empty());
  CHECK(apply_to(small.job, {"untraced in * = 0"}).changes.empty());
}

TEST_CASE("a sweep replaces the factor of scaling edits and leaves the others alone") {
  const SmallStep small(kTwoPasses);
  CHECK(apply_to(small.job, {"kernel:gemm * 3", "comm = 1us"}, 0.1).changes ==
        Lines{"kernel gemm 30 -> 3", "communication ncclDevKernel 30 -> 1"});
}

TEST_CASE("of one rank: scopes that name it, and steps by the number in their names") {
  const SmallStep small(R"(
      1       0    50   user_annotation  ProfilerStep#1
      1       5    20   cpu_op           aten::mm
      1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  20   60   kernel           gemm              correlation=1
      1       50   60   user_annotation  ProfilerStep#2
      1       55   20   cpu_op           aten::mm
      1       60   5    cuda_runtime     cudaLaunchKernel  correlation=2
      gpu0/7  85   20   kernel           gemm              correlation=2
  )",
                        {.annotation = "ProfilerStep#", .first_instance = 0, .last_instance = 1});
  CHECK(apply_to(small.job, {"rank:0 kernel * 2"}).changes.size() == 2);
  CHECK(apply_to(small.job, {"rank:1-7 kernel * 2"}).matched == std::vector<std::uint64_t>{0});
  CHECK(apply_to(small.job, {"step:1 kernel * 2"}).changes ==
        Lines{"kernel gemm 60 -> 120"});  // it was launched in step 1
  CHECK(apply_to(small.job, {"step:2 kernel * 2"}).changes == Lines{"kernel gemm 20 -> 40"});
  CHECK(apply_to(small.job, {"step:1-2 kernel * 2"}).changes.size() == 2);
  CHECK(apply_to(small.job, {"step:3 kernel * 2"}).matched == std::vector<std::uint64_t>{0});
}

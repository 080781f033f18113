// Validation of HTA's graph, its longest path, and which of several equally long ones it takes.
#include "causal/hta/critical_path.h"

#include <doctest/doctest.h>

#include "hta_text.h"

using namespace orrery;
using namespace orrery::causal::hta;
using namespace orrery::causal::hta::testing;

namespace {

// The second kernel starts `overlap` us before the first one has ended.
std::string overlapping_kernels(int overlap) {
  return "1 0 5 cpu_op aten::mm\n"
         "1 0 5 cuda_runtime cudaLaunchKernel correlation=1\n"
         "1 30 5 cuda_runtime cudaLaunchKernelExC correlation=2\n"
         "gpu0/7 20 30 kernel first correlation=1\n"
         "gpu0/7 " +
         std::to_string(50 - overlap) + " 30 kernel second correlation=2\n";
}

TimePs weight_of(const CriticalPath& path) {
  TimePs weight = 0;
  for (const std::uint32_t i : path.path_edges) weight += path.edges[i].weight;
  return weight;
}

}  // namespace

TEST_CASE("hta solve: negative weights count as 0 in the graph and as they are in the sum") {
  const SmallPath small(overlapping_kernels(10));
  REQUIRE(small.path.success());
  CHECK(path_lines(small.path) ==
        Lines{"aten::mm.start", "cudaLaunchKernel.start", "first.start", "first.end", "second.start", "second.end"});
  CHECK(weight_of(small.path) == (20 + 30 - 10 + 30) * kPsPerUs);
}

TEST_CASE("hta solve: strict mode refuses weights below -1 and keeps -1") {
  Options strict;
  strict.strict = true;
  const SmallPath refused(overlapping_kernels(10), strict);
  CHECK_FALSE(refused.path.success());
  CHECK(refused.path.failure == "an edge has a negative weight");
  CHECK(refused.path.path_nodes.empty());
  const auto kernel_gap = [](const CriticalPath& path) {
    for (std::size_t i = 0; i < path.edges.size(); ++i) {
      if (path.edges[i].type == EdgeType::kernel_kernel_delay) return path.path_weight[i];
    }
    return TimePs{1};
  };
  CHECK(kernel_gap(SmallPath(overlapping_kernels(1), strict).path) == -kPsPerUs);
  CHECK(kernel_gap(SmallPath(overlapping_kernels(1)).path) == 0);
}

TEST_CASE("hta solve: a wait for an event of the same stream makes the analysis fail") {
  const SmallPath small(R"(
      1       0   2   cpu_op        aten::mm
      1       0   2   cuda_runtime  cudaLaunchKernel     correlation=1
      1       3   2   cuda_runtime  cudaEventRecord      correlation=2
      1       6   2   cuda_runtime  cudaStreamWaitEvent  correlation=3
      1       9   2   cuda_runtime  cudaLaunchKernel     correlation=4
      gpu0/7  5   50  kernel        first                correlation=1
      gpu0/7  6   1   cuda_sync     "Stream Wait Event"  correlation=3  wait_on_stream=7  wait_on_cuda_event_record_corr_id=2
      gpu0/7  57  50  kernel        second               correlation=4
  )");
  CHECK(small.path.failure == "a synchronisation joins two nodes of the same stream");
}

TEST_CASE("hta solve: a cycle makes the analysis fail") {
  // The recorded wait ends after a kernel that was launched after the waiting call.
  const SmallPath small(R"(
      1        0   5   cuda_runtime  cudaDeviceSynchronize  correlation=1
      1        10  5   cuda_runtime  cudaLaunchKernel       correlation=2
      gpu0/7   20  10  kernel        gemm                   correlation=2
      gpu0/-1  1   60  cuda_sync     "Context Sync"         correlation=1
  )");
  CHECK(small.path.failure == "the graph has a cycle");
  CHECK(small.path.edges.size() == 6);
}

TEST_CASE("hta solve: of equally long paths the one whose end comes first by generations, in order of insertion") {
  // Thread 1 is walked first although the events of thread 2 have the smaller numbers.
  const SmallPath small(R"(
      2  0  10  cpu_op  second_thread
      1  0  10  cpu_op  first_thread
  )");
  CHECK(path_lines(small.path) == Lines{"first_thread.start", "first_thread.end"});
  // An end that is reached in fewer generations comes first.
  const SmallPath deeper(R"(
      1  0  10  cpu_op  outer
      1  2  2   cpu_op  inner
      2  0  10  cpu_op  flat
  )");
  CHECK(path_lines(deeper.path) == Lines{"flat.start", "flat.end"});
}

TEST_CASE("hta solve: a path of fewer than two nodes is an error") {
  CHECK(SmallPath("1 0 10 cuda_runtime cudaDeviceSynchronize").error == "the critical path has fewer than two nodes");
  CHECK(SmallPath("1 0 10 user_annotation range").error == "the critical path has fewer than two nodes");
}

TEST_CASE("hta solve: HTA's assertion that the launch has a node") {
  const SmallPath small(R"(
      1       0   5  cpu_op        aten::mm
      1       0   5  cuda_runtime  cudaGraphLaunch   correlation=1
      1       8   0  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  20  5  kernel        gemm              correlation=1
  )");
  CHECK(small.error == "the runtime call that launched event 3 is not in the window");
}

TEST_CASE("hta solve: nodes without edges are not counted") {
  const SmallPath small(R"(
      1        0   5   cpu_op        aten::mm
      1        5   5   cuda_runtime  cudaStreamSynchronize  correlation=3
      gpu0/7   6   3   cuda_sync     "Stream Sync"          correlation=3
  )");
  CHECK(small.path.window.nodes.size() == 6);
  CHECK(small.path.graph_nodes == 4);
}

// HTA's edges: the runtime lock, the call stacks, and the device.
#include <doctest/doctest.h>

#include "hta_text.h"

using namespace orrery;
using namespace orrery::causal::hta;
using namespace orrery::causal::hta::testing;

namespace {

Lines only(const Lines& lines, std::string_view type) {
  Lines found;
  for (const std::string& line : lines) {
    if (line.starts_with(type)) found.push_back(line);
  }
  return found;
}

}  // namespace

TEST_CASE("hta lock: launches of all threads are taken to exclude each other") {
  const SmallPath small(R"(
      1  0   10  cuda_runtime  cudaLaunchKernel
      2  5   10  cuda_runtime  cudaMemcpyAsync
      2  20  10  cuda_runtime  cudaHostAlloc
      1  40  10  cuda_runtime  cudaFuncGetAttributes
  )");
  CHECK(edge_lines(small.path) ==
        Lines{
            "dependency cudaMemcpyAsync.start -> cudaLaunchKernel.end 0",
            "operator cudaLaunchKernel.start -> cudaLaunchKernel.end 10 of cudaLaunchKernel",
            "dependency cudaLaunchKernel.end -> cudaMemcpyAsync.end 0",
            "operator cudaHostAlloc.start -> cudaHostAlloc.end 10 of cudaHostAlloc",
            "dependency cudaLaunchKernel.end -> cudaFuncGetAttributes.start 0",
            "operator cudaFuncGetAttributes.start -> cudaFuncGetAttributes.end 10 of cudaFuncGetAttributes",
            "dependency cudaMemcpyAsync.end -> cudaHostAlloc.start 0",
        });
}

TEST_CASE("hta stacks: operators one after the other, with gaps that weigh nothing") {
  const SmallPath small(R"(
      1  0   100  cpu_op           outer
      1  10  20   cpu_op           inner
      1  40  20   cpu_op           sibling
      1  150 20   cpu_op           later
  )");
  CHECK(edge_lines(small.path) == Lines{
                                      "operator outer.start -> inner.start 10 of outer",
                                      "operator inner.start -> inner.end 20 of inner",
                                      "operator inner.end -> sibling.start 10 of outer",
                                      "operator sibling.start -> sibling.end 20 of sibling",
                                      "operator sibling.end -> outer.end 40 of outer",
                                      "dependency outer.end -> later.start 0",
                                      "operator later.start -> later.end 20 of later",
                                  });
  CHECK(path_lines(small.path).front() == "outer.start");
  CHECK(path_lines(small.path).back() == "later.end");
}

TEST_CASE("hta stacks: annotations are parents without nodes") {
  const SmallPath small(R"(
      1  0   100  user_annotation  range
      1  10  20   cpu_op           first
      1  40  20   cpu_op           second
  )");
  CHECK(edge_lines(small.path) == Lines{"operator first.start -> first.end 20 of first",
                                        "dependency first.end -> second.start 0",
                                        "operator second.start -> second.end 20 of second"});
}

TEST_CASE("hta stacks: blocking calls weigh nothing, except cudaMemcpyAsync, whose edge comes from the lock") {
  const SmallPath small(R"(
      1  0    100  cuda_runtime  cudaDeviceSynchronize
      1  100  100  cuda_runtime  cudaMemcpyAsync
  )");
  CHECK(edge_lines(small.path) ==
        Lines{"operator cudaMemcpyAsync.start -> cudaMemcpyAsync.end 100 of cudaMemcpyAsync",
              "operator cudaDeviceSynchronize.start -> cudaDeviceSynchronize.end 0 of cudaDeviceSynchronize",
              "dependency cudaDeviceSynchronize.end -> cudaMemcpyAsync.start 0"});
}

TEST_CASE("hta stacks: the thread that runs autograd continues the one that runs forward") {
  const char* const lines = R"(
      1  0   10  cpu_op  forward
      2  20  10  cpu_op  autograd::engine
  )";
  CHECK(only(edge_lines(SmallPath(lines).path), "dependency") ==
        Lines{"dependency forward.end -> autograd::engine.start 0"});
  // Not if the names are spread over several threads.
  CHECK(only(edge_lines(SmallPath(lines + std::string("3 0 5 cpu_op forward_too\n")).path), "dependency").empty());
}

TEST_CASE("hta stacks: an end takes the top of the stack, whoever that is") {
  const SmallPath small(R"(
      1  0  10  cpu_op  outer
      1  5  10  cpu_op  crossing
  )");
  CHECK(edge_lines(small.path) == Lines{"operator outer.start -> crossing.start 5 of outer",
                                        "operator crossing.start -> crossing.end 10 of crossing",
                                        "operator crossing.end -> outer.end -5 of outer"});
}

TEST_CASE("hta device: a kernel on an idle stream is explained by its launch, the next by the kernel before it") {
  const SmallPath small(R"(
      1       0   40  cpu_op        aten::mm
      1       0   5   cuda_runtime  cudaLaunchKernel     correlation=1
      1       30  5   cuda_runtime  cudaLaunchKernelExC  correlation=2
      gpu0/7  20  30  kernel        first                correlation=1
      gpu0/7  52  30  kernel        second               correlation=2
  )");
  CHECK(only(edge_lines(small.path), "kernel") == Lines{"kernel_launch_delay cudaLaunchKernel.start -> first.start 20",
                                                        "kernel_kernel_delay first.end -> second.start 2 of first"});
}

TEST_CASE("hta device: a kernel that starts when another one is already queued has no launch edge") {
  const SmallPath small(R"(
      1       0   40  cpu_op        aten::mm
      1       0   5   cuda_runtime  cudaLaunchKernel     correlation=1
      1       5   5   cuda_runtime  cudaLaunchKernelExC  correlation=2
      gpu0/7  20  30  kernel        first                correlation=1
      gpu0/7  52  30  kernel        second               correlation=2
  )");
  CHECK(only(edge_lines(small.path), "kernel") == Lines{"kernel_kernel_delay first.end -> second.start 2 of first"});
}

TEST_CASE("hta device: 1500 µs after the kernel before it, a queued kernel has no predecessor") {
  const auto edges_with_gap = [](int gap) {
    return only(edge_lines(SmallPath("1 0 5 cpu_op aten::mm\n"
                                     "1 0 5 cuda_runtime cudaLaunchKernel correlation=1\n"
                                     "1 5 5 cuda_runtime cudaLaunchKernel correlation=2\n"
                                     "gpu0/7 20 30 kernel first correlation=1\n"
                                     "gpu0/7 " +
                                     std::to_string(50 + gap) + " 30 kernel second correlation=2\n")
                               .path),
                "kernel_kernel");
  };
  CHECK(edges_with_gap(1499) == Lines{"kernel_kernel_delay first.end -> second.start 1499 of first"});
  CHECK(edges_with_gap(1500).empty());
}

TEST_CASE("hta device: edges of weight 0 for launches that did not delay their kernel") {
  Options options;
  options.zero_weight_launch_edges = true;
  const SmallPath small(R"(
      1       0   40  cpu_op        aten::mm
      1       0   5   cuda_runtime  cudaLaunchKernel     correlation=1
      1       30  5   cuda_runtime  cudaLaunchKernelExC  correlation=2
      gpu0/7  20  30  kernel        first                correlation=1
      gpu0/7  52  30  kernel        second               correlation=2
  )",
                        options);
  CHECK(only(edge_lines(small.path), "kernel_launch") ==
        Lines{"kernel_launch_delay cudaLaunchKernel.start -> first.start 20",
              "kernel_launch_delay cudaLaunchKernelExC.start -> second.start 0"});
}

TEST_CASE("hta device: streams of different devices are confused") {
  const SmallPath small(R"(
      1       0    5   cpu_op        aten::mm
      1       0    5   cuda_runtime  cudaLaunchKernel     correlation=1
      1       5    5   cuda_runtime  cudaLaunchKernelExC  correlation=2
      gpu0/7  20   30  kernel        on_first             correlation=1
      gpu1/7  308  30  kernel        on_second            correlation=2
  )");
  CHECK(only(edge_lines(small.path), "kernel_kernel") ==
        Lines{"kernel_kernel_delay on_first.end -> on_second.start 258 of on_first"});
}

TEST_CASE("hta device: only one kernel of a graph launch, and no launch edge to it") {
  const SmallPath small(R"(
      1       0   10  cpu_op        replay
      1       0   5   cuda_runtime  cudaGraphLaunch  correlation=1
      gpu0/7  20  30  kernel        first            correlation=1
      gpu0/7  52  30  kernel        second           correlation=1
  )");
  CHECK(small.path.window.rows.size() == 3);
  CHECK(only(edge_lines(small.path), "kernel").empty());
}

TEST_CASE("hta sync: streams, devices and events") {
  const SmallPath small(R"(
      1        0   5   cpu_op        aten::mm
      1        0   5   cuda_runtime  cudaLaunchKernel       correlation=1
      1        5   2   cuda_runtime  cudaEventRecord        correlation=2
      gpu0/7   10  30  kernel        gemm                   correlation=1
      1        10  40  cuda_runtime  cudaStreamSynchronize  correlation=3
      gpu0/7   11  38  cuda_sync     "Stream Sync"          correlation=3
      1        60  40  cuda_runtime  cudaDeviceSynchronize  correlation=4
      gpu0/-1  61  38  cuda_sync     "Context Sync"         correlation=4
      1        110 40  cuda_runtime  cudaEventSynchronize   correlation=5
      gpu0/7   111 38  cuda_sync     "Event Sync"           correlation=5  wait_on_stream=7  wait_on_cuda_event_record_corr_id=2
  )");
  CHECK(only(edge_lines(small.path), "sync") == Lines{"sync_dependency gemm.end -> cudaStreamSynchronize.end 0",
                                                      "sync_dependency gemm.end -> cudaDeviceSynchronize.end 0",
                                                      "sync_dependency gemm.end -> cudaEventSynchronize.end 0"});
}

TEST_CASE("hta sync: of two waits before one kernel only the last is kept") {
  const SmallPath small(R"(
      1        0    2    cpu_op        aten::mm
      1        0    2    cuda_runtime  cudaLaunchKernel     correlation=1
      1        3    2    cuda_runtime  cudaEventRecord      correlation=2
      1        6    2    cuda_runtime  cudaLaunchKernel     correlation=3
      1        9    2    cuda_runtime  cudaEventRecord      correlation=4
      1        12   2    cuda_runtime  cudaStreamWaitEvent  correlation=5
      1        15   2    cuda_runtime  cudaStreamWaitEvent  correlation=6
      1        18   2    cuda_runtime  cudaLaunchKernel     correlation=7
      gpu0/7   5    100  kernel        left                 correlation=1
      gpu0/8   10   80   kernel        right                correlation=3
      gpu0/20  12   1    cuda_sync     "Stream Wait Event"  correlation=5  wait_on_stream=7  wait_on_cuda_event_record_corr_id=2
      gpu0/20  15   1    cuda_sync     "Stream Wait Event"  correlation=6  wait_on_stream=8  wait_on_cuda_event_record_corr_id=4
      gpu0/20  107  30   kernel        join                 correlation=7
  )");
  CHECK(only(edge_lines(small.path), "sync") == Lines{"sync_dependency right.end -> join.start 0"});
}

TEST_CASE("hta window: what starts in the annotation, with the device work launched in it") {
  const char* const lines = R"(
      1       0    50   user_annotation  "## step ##"
      1       10   100  cpu_op           runs_over
      1       20   5    cuda_runtime     cudaLaunchKernel  correlation=1
      1       60   5    cuda_runtime     cudaLaunchKernel  correlation=2
      gpu0/7  70   5    kernel           late              correlation=1
      gpu0/7  80   5    kernel           outside           correlation=2
      1       100  50   user_annotation  "## step ##"
      1       120  5    cpu_op           second
      1       120  0    cpu_op           instant
  )";
  const auto names = [](const SmallPath& small) {
    Lines found;
    for (const RowIndex r : small.path.window.rows) found.emplace_back(small.path.rows.name_text(r));
    return found;
  };
  CHECK(names(SmallPath(lines, in_annotation("step"))) == Lines{"## step ##", "runs_over", "cudaLaunchKernel", "late"});
  CHECK(names(SmallPath(lines, in_annotation("step", 1))) == Lines{"## step ##", "second"});
  CHECK(names(SmallPath(lines, in_annotation("step", 0, 1))).size() == 8);
  CHECK(names(SmallPath(lines, in_annotation(""))).size() == 8);
  CHECK(SmallPath(lines, in_annotation("step", 2)).error == "\"step\" occurs 2 times; instance 2 does not exist");
  CHECK(SmallPath(lines, in_annotation("backward")).error == "no event name contains \"backward\"");
  CHECK(names(SmallPath(lines, in_annotation("step", 1, 9))) ==
        Lines{"## step ##", "second"});  // Python's slices stop at the end
}

TEST_CASE("hta window: names of data loading events are taken literally") {
  Options options;
  options.window.data_load_events = {"load.*"};
  const char* const lines = R"(
      1  0   10  user_annotation  load_batch
      1  20  10  user_annotation  load.*
      1  40  10  cpu_op           aten::mm
  )";
  CHECK(SmallPath(lines, options).path.window.nodes.size() == 4);
  options.window.data_load_events = {"load"};
  CHECK(SmallPath(lines, options).path.window.nodes.size() == 6);
}

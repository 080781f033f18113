// Kernel types, totals, annotations, sequences, counters.
#include <doctest/doctest.h>

#include "analyze/hta/call_graph.h"
#include "analyze/hta/counters.h"
#include "analyze/hta/kernel_annotations.h"
#include "analyze/hta/kernel_sequences.h"
#include "analyze/hta/python_sort.h"
#include "analyze/hta/temporal.h"
#include "analyze/hta/totals.h"
#include "causal/hta/kernel_type.h"
#include "small_hta_job.h"

using namespace orrery;
using namespace orrery::analyze::hta;
using namespace orrery::analyze::hta::testing;
using causal::hta::kernel_type;
using causal::hta::KernelType;

TEST_CASE("hta kernel type: by the name alone, communication first") {
  CHECK(kernel_type("gemm") == KernelType::computation);
  CHECK(kernel_type("ncclDevKernel_AllReduce") == KernelType::communication);
  CHECK(kernel_type("void ncclKernel<int>") == KernelType::communication);
  CHECK(kernel_type("x\nncclKernel") == KernelType::computation);  // a dot does not match the end of a line
  CHECK(kernel_type("hipMemcpyAsync") == KernelType::communication);
  CHECK(kernel_type("Memset (Device)") == KernelType::memory);
  CHECK(kernel_type("dma_write") == KernelType::memory);
  CHECK(kernel_type("my Memcpy") == KernelType::other);
  CHECK(kernel_type("Stream Sync") == KernelType::other);
  CHECK(kernel_type("cudaGraphLaunchKernel") == KernelType::other);
}

TEST_CASE("hta kernel types: time alone and overlapping, summed over ranks") {
  const std::string lines = R"(
      gpu0/7  0   10  kernel      gemm                  correlation=1
      gpu0/9  5   10  kernel      ncclKernel_AllReduce  correlation=2
      gpu0/7  20  5   gpu_memcpy  "Memcpy DtoH"         correlation=3
  )";
  const SmallHtaJob job({lines, lines});
  CHECK(csv_lines(kernel_types_sheet(job.rows, true)) == Lines{"COMMUNICATION,10,25", "COMPUTATION,10,25",
                                                               "COMPUTATION overlapping COMMUNICATION,10,25",
                                                               "MEMORY,10,25"});
  CHECK(kernel_types_sheet(job.rows, false).rows() == 3);
  CHECK(csv_lines(kernel_totals_sheet(job.rows, false, {})) ==
        Lines{"COMMUNICATION,0,ncclKernel_AllReduce,10,10,10,10,0",
              "COMMUNICATION,1,ncclKernel_AllReduce,10,10,10,10,0", "COMPUTATION,0,gemm,10,10,10,10,0",
              "COMPUTATION,1,gemm,10,10,10,10,0"});
}

TEST_CASE("hta kernels by annotation: the shortest of the lane, taken along by equal spans elsewhere") {
  const SmallHtaJob job({R"_(
      gpu0/7  0   100  gpu_user_annotation  outer
      gpu0/7  10  20   gpu_user_annotation  "inner<int>(x)"
      gpu0/7  12  5    kernel               a  correlation=1
      gpu0/9  12  5    kernel               b  correlation=2
      gpu0/7  50  7    kernel               c  correlation=3
      gpu0/9  70  9    kernel               d  correlation=4
  )_"});
  CHECK(csv_lines(kernel_annotations_sheet(job.rows)) == Lines{"0,,1,9", "0,inner,2,10", "0,outer,1,7"});
}

TEST_CASE("hta sequences: kernels below the shallowest operators that match") {
  const SmallHtaJob job({R"(
      1       0    100  cpu_op        model::linear
      1       10   20   cpu_op        aten::linear
      1       15   5    cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  40   5    kernel        gemm              correlation=1
      1       50   5    cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  30   6    kernel        relu              correlation=2
      1       200  50   cpu_op        model::linear
  )"});
  const auto found = kernel_sequences(job.rows.front(), "linear", 2);
  REQUIRE(found.ok());
  REQUIRE(found->size() == 1);
  CHECK(found->front().kernels == std::vector<std::string>{"relu", "gemm"});  // by start, whatever launched first
  CHECK(found->front().count == 1);
  CHECK(found->front().device == 11 * kPsPerUs);
  CHECK(found->front().host == 100 * kPsPerUs);
  CHECK(kernel_sequences(job.rows.front(), "linear", 3)->empty());
}

TEST_CASE("hta sequences: the backward thread's work hangs below the step that contains it") {
  const SmallHtaJob job({R"(
      1       0    100  user_annotation  ProfilerStep#1
      3       10   20   cpu_op           autograd::engine
      3       12   5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  40   5    kernel           gemm              correlation=1
      3       200  5    cpu_op           autograd::engine
  )"});
  const auto graph = CallGraph::make(job.rows.front());
  REQUIRE(graph.ok());
  CHECK(graph->depth(0) == 0);
  CHECK(graph->depth(1) == 1);
  CHECK(graph->depth(3) == 3);
  CHECK(graph->depth(4) == 0);
  CHECK(graph->below(0).kernels == 1);
}

TEST_CASE("hta sequences: a row of no length and one of negative length at one moment have no order") {
  const SmallHtaJob job({"1 10 0 cpu_op a\n1 10 -1 cpu_op b"});
  CHECK_FALSE(kernel_sequences(job.rows.front(), "a", 0).ok());
}

TEST_CASE("hta counters: ranges and launches are paired by their order") {
  const SmallHtaJob job({R"(
      1       0   30  cpu_op               aten::mm
      1       10  5   cuda_runtime         cudaLaunchKernel  correlation=1
      2       50  5   cuda_profiler_range  gemm
  )"});
  const auto rows = counter_rows(job.rows, {{{{"cycles", "12"}}}});
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 1);
  CHECK(rows->front().kernel == "gemm");
  CHECK(rows->front().op_stack == std::vector<std::string>{"aten::mm"});
  CHECK(rows->front().counters.at("cycles") == "12");
}

TEST_CASE("python's sort: stable, and right on what has an order") {
  for (const std::size_t n : {0, 1, 2, 31, 64, 65, 1000, 5000}) {
    std::vector<std::pair<std::uint32_t, std::size_t>> items;
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < n; ++i)
      items.emplace_back((state = state * 1664525 + 1013904223) >> 24 & (i % 300 < 150 ? 255 : 7), i);
    auto expected = items;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), less);
    python_sort(items, less);
    CHECK(items == expected);
  }
}

TEST_CASE("python's sort: without an order, as CPython leaves it") {
  // Rock, paper, scissors: sorted(items, key=cmp_to_key(lambda a, b: -1 if (a - b) % 3 == 1 else 1)).
  std::vector<int> items = {0, 1, 2, 0, 1, 2, 0, 0, 2, 1, 1, 2};
  python_sort(items, [](int a, int b) { return (a - b + 3) % 3 == 1; });
  CHECK(items == std::vector<int>{0, 2, 2, 1, 0, 2, 1, 1, 1, 0, 0, 2});
  // Long enough for several runs and galloping.
  std::string text;
  items.clear();
  for (int i = 0; i < 200; ++i) items.push_back((i * i * 7 + i / 5) % 3);
  python_sort(items, [](int a, int b) { return (a - b + 3) % 3 == 1; });
  for (const int item : items) text += std::to_string(item);
  CHECK(text ==
        "0000000000000000002222222222222222222222222222222222222221111111111111111111111111111111111111111111"
        "1111111111111111111111111000000000000000000000000000000000000000000000000000000000000002222222222222");
}

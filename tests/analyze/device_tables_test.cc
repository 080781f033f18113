// Kernels, annotations, launches, queues, operators, counters and copies, on small traces whose answer can be written
// down.
#include <algorithm>

#include "analyze/device/copies.h"
#include "analyze/device/kernels.h"
#include "analyze/device/launches.h"
#include "analyze/small_devices.h"

namespace orrery::analyze::testing {

TEST_CASE("kernels of a step are those that it launched, whole, also while the work of the step before still runs") {
  constexpr const char* kTwoSteps = R"(
    1       0    100  user_annotation  ProfilerStep#0
    1       100  100  user_annotation  ProfilerStep#1
    1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
    1       110  5    cuda_runtime     cudaLaunchKernel  correlation=2
    1       120  5    cuda_runtime     cudaLaunchKernel  correlation=3
    gpu0/9  20   130  kernel           reduce            correlation=1
    gpu0/7  120  20   kernel           gemm              correlation=2
    gpu0/7  160  20   kernel           gemm              correlation=3
)";
  for (const std::size_t step : {std::size_t{0}, std::size_t{1}}) {
    const SmallDevices devices(kTwoSteps, {.annotation = {}, .first_instance = step, .last_instance = step});
    const RankKernels kernels = devices.kernels();
    REQUIRE(kernels.sums.size() == 1);
    CHECK(devices.name(kernels.sums[0].name) == (step == 0 ? "reduce" : "gemm"));
    CHECK(kernels.sums[0].calls.count == (step == 0 ? 1 : 2));
    CHECK(kernels.sums[0].calls.sum == (step == 0 ? 130 : 40) * us);
    // Time is divided by the window, which begins where the work of the step before ends.
    CHECK(devices.device().window == (step == 0 ? 150 : 50) * us);
  }
}

TEST_CASE("kernels: statistics are of calls, also of the rest") {
  const SmallDevices small(R"trace(
    gpu0/7  0    10   kernel  a
    gpu0/7  20   30   kernel  a
    gpu0/7  60   5    kernel  b
    gpu0/7  70   7    kernel  c
    gpu0/7  80   1    kernel  c
  )trace");
  const RankKernels kernels = small.kernels(1);
  REQUIRE(kernels.sums.size() == 2);
  CHECK(small.name(kernels.sums[0].name) == "a");
  CHECK(kernels.sums[0].calls.count == 2);
  CHECK(kernels.sums[0].calls.most == 30 * us);
  CHECK(kernels.sums[0].calls.mean == 20 * us);
  CHECK(kernels.sums[1].is_rest);
  CHECK(kernels.sums[1].names == 2);
  CHECK(kernels.sums[1].calls.count == 3);
  CHECK(kernels.sums[1].calls.sum == 13 * us);
  CHECK(kernels.sums[1].calls.least == 1 * us);
}

TEST_CASE("annotations: nested and overlapping ranges are split, work goes to the one that launched it") {
  const SmallDevices small(R"trace(
    1       0    100  user_annotation  outer
    1       20   30   user_annotation  inner
    1       90   30   user_annotation  late
    1       25   5    cuda_runtime     cudaLaunchKernel  correlation=1
    1       95   5    cuda_runtime     cudaLaunchKernel  correlation=2
    gpu0/7  60   10   kernel           a                 correlation=1
    gpu0/9  60   10   kernel           a                 correlation=2
    gpu0/7  80   3    kernel           b
    gpu0/7  79   9    gpu_user_annotation  drawn
  )trace");
  std::map<std::string, TimePs> self, launched;
  for (const AnnotationTime& time : small.breakdown.front().host_annotations) self[small.name(time.name)] = time.self;
  CHECK(self == std::map<std::string, TimePs>{{"outer", 60 * us}, {"inner", 30 * us}, {"late", 30 * us}});
  for (const AnnotationKernels& sum : small.kernels().by_annotation) launched[small.name(sum.annotation)] = sum.time;
  CHECK(launched == std::map<std::string, TimePs>{{"inner", 10 * us}, {"late", 10 * us}, {"drawn", 3 * us}});
}

TEST_CASE("launches: of every runtime, of graphs, with signed delays") {
  const SmallDevices small(R"trace(
    1       0    5    cuda_driver   cuLaunchKernelEx  correlation=1
    1       10   5    hip_runtime   hipLaunchKernel   correlation=2
    1       20   5    cuda_runtime  cudaGraphLaunch   correlation=3
    1       40   5    cuda_runtime  cudaLaunchKernel  correlation=4
    gpu0/7  2    3    kernel        a                 correlation=1
    gpu0/7  9    3    kernel        b                 correlation=2
    gpu0/7  30   3    kernel        c                 correlation=3
    gpu0/9  31   3    kernel        d                 correlation=3
    gpu0/7  36   3    kernel        e
  )trace");
  const RankLaunches launches = measure_launches(small.ranks, {}).front();
  CHECK(launches.host.count == 3);
  CHECK(launches.work.count == 4);
  CHECK(launches.graph_calls == 1);
  CHECK(launches.works_without_call == 1);
  CHECK(launches.calls_without_work == 1);
  CHECK(launches.delay.least == -1 * us);
  CHECK(launches.delay.most == 11 * us);
  CHECK(launches.short_kernels == 4);
}

TEST_CASE("queues: until the end and until the start, each stream of each device") {
  const SmallDevices small(R"trace(
    1       0    1    cuda_runtime  cudaLaunchKernel  correlation=1
    1       1    1    cuda_runtime  cudaLaunchKernel  correlation=2
    1       2    9    cuda_runtime  cudaLaunchKernel  correlation=3
    gpu0/7  10   40   kernel        a                 correlation=1
    gpu0/7  50   50   kernel        b                 correlation=2
    gpu1/7  20   80   kernel        c                 correlation=3
  )trace");
  const RankQueues queues = measure_queues(small.ranks, 1, true).front();
  REQUIRE(queues.queues.size() == 4);
  const QueueTimes& stream = queues.queues[1];
  CHECK(stream.device == 0);
  CHECK(*stream.stream == 7);
  CHECK(stream.until_end.most == 2);
  CHECK(stream.until_end.mean == doctest::Approx((100 + 49) / 100.0));
  CHECK(stream.until_start.mean == doctest::Approx((10 + 49) / 100.0));
  CHECK(stream.full_calls == 1);  // the second was entered while the first waited
  CHECK(stream.blocked == 0);     // and took no longer than usual
  CHECK(queues.queues[3].works == 1);
}

TEST_CASE("operators: the innermost of the same thread") {
  const SmallDevices small(R"trace(
    1       0    100  cpu_op        aten::linear
    1       0    50   cpu_op        aten::addmm
    2       5    20   cpu_op        aten::elsewhere
    1       10   5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       60   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/0  20   10   kernel        gemm              correlation=1
    gpu0/0  70   10   kernel        bias              correlation=2
  )trace");
  const RankOperators operators = measure_operators(small.ranks).front();
  REQUIRE(operators.operators.size() == 2);
  CHECK(small.name(operators.operators[0].op) == "aten::addmm");
  CHECK(operators.operators[0].launch_delay == 10 * us);
  CHECK(operators.operators[0].runtime_delay == 10 * us);
  CHECK(small.name(operators.operators[1].op) == "aten::linear");

  const auto sequences = kernel_sequences(small.ranks, "aten::*", 2);
  REQUIRE(sequences.size() == 1);  // the outermost, with the kernels of stream 0
  CHECK(small.name(sequences[0].op) == "aten::linear");
  CHECK(sequences[0].kernels.size() == 2);
  CHECK(sequences[0].host_time == 100 * us);
  CHECK(kernel_sequences(small.ranks, "linear", 1).empty());  // a name, not a part of one
}

TEST_CASE(
    "operators inside operators: each launch is its innermost one's own, and all around it have it in their sums") {
  const SmallDevices small(R"trace(
    1       0    100  cpu_op        aten::linear
    1       5    50   cpu_op        aten::addmm
    1       10   5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       60   5    cuda_runtime  cudaLaunchKernel  correlation=2
    1       120  30   cpu_op        aten::addmm
    1       125  5    cuda_runtime  cudaMemcpyAsync   correlation=3
    gpu0/0  20   10   kernel        gemm              correlation=1
    gpu0/0  70   20   kernel        bias              correlation=2
    gpu0/0  140  40   gpu_memcpy    "Memcpy HtoD"     correlation=3
  )trace");
  const auto lines = [&](bool with_memory) {
    std::vector<std::string> text;
    const std::vector<RankOperatorTree> trees = nest_operators(small.ranks, with_memory);
    for (const OperatorNode& node : trees.front().nodes)
      text.push_back(std::to_string(node.depth) + " " + small.name(node.op) + " " + std::to_string(node.own_works) +
                     "/" + std::to_string(node.works) + " " + std::to_string(node.own_device_time / us) + "/" +
                     std::to_string(node.device_time / us) + " " + std::to_string(node.host_time / us));
    return text;
  };
  CHECK(lines(true) == std::vector<std::string>{"0 aten::addmm 1/1 40/40 30", "0 aten::linear 1/2 20/30 100",
                                                "1 aten::addmm 1/1 10/10 50"});
  CHECK(lines(false) == std::vector<std::string>{"0 aten::linear 1/2 20/30 100", "1 aten::addmm 1/1 10/10 50"});
  CHECK(measure_operators(small.ranks, false).front().operators.size() == 2);
  CHECK(measure_operators(small.ranks, true).front().operators.size() == 3);
}

TEST_CASE("without memory: no table has copies or sets") {
  const SmallDevices small(kMixed);
  const RankKernels kernels =
      sum_kernels(small.ranks, {.top = 0, .order = KernelOrder::time, .with_memory = false}).front();
  const RankKernels all = small.kernels();
  CHECK(kernels.works[static_cast<std::size_t>(WorkType::memory_copy)] == 0);
  CHECK(all.works[static_cast<std::size_t>(WorkType::memory_copy)] == 1);
  for (std::size_t d = 0; d < kernels.times.size(); ++d) {
    CHECK(kernels.times[d].time_of(WorkType::memory_copy) == 0);
    CHECK(kernels.times[d].busy_time() == all.times[d].busy_time() - all.times[d].exposed_memory());
    CHECK(kernels.times[d].busy_time() + kernels.times[d].idle_time() == kernels.times[d].window);
  }
}

TEST_CASE("counters: the n-th range is of the n-th launch; where their numbers differ nobody can tell") {
  constexpr const char* kCounted = R"trace(
    1       0    100  cpu_op               aten::linear
    1       5    50   cpu_op               aten::addmm
    1       10   5    cuda_runtime         cudaLaunchKernel     correlation=1
    1       60   5    cuda_driver          cuLaunchKernelEx     correlation=2
    gpu0/0  0    50   cuda_profiler_range  gemm
    gpu0/0  50   50   cuda_profiler_range  bias
  )trace";
  const SmallDevices small(kCounted);
  const auto ranges = counted_ranges(small.ranks.front());
  REQUIRE(ranges.size() == 2);
  const auto rows = kernel_counters(small.ranks.front(), ranges, {{{"flops", "7"}}, {{"flops", "8"}}});
  REQUIRE(rows.size() == 2);
  CHECK(small.name(rows[0].kernel) == "gemm");
  REQUIRE(rows[0].operators.has_value());
  CHECK(rows[0].operators->size() == 2);
  CHECK(small.name(rows[0].operators->back()) == "aten::addmm");
  CHECK(rows[1].operators->size() == 1);
  CHECK(rows[1].counters.at("flops") == "8");

  const SmallDevices more(std::string(kCounted) + "1 70 5 cuda_runtime cudaLaunchKernel correlation=3\n");
  const auto open = kernel_counters(more.ranks.front(), counted_ranges(more.ranks.front()), {{{"flops", "7"}}, {}});
  REQUIRE(open.size() == 2);
  CHECK_FALSE(open[0].operators.has_value());
  CHECK(open[0].counters.at("flops") == "7");
}

TEST_CASE("copies: bytes over time, and two that only meet are not one that is twice as fast") {
  const SmallDevices small(R"trace(
    gpu0/7  0    10   gpu_memcpy  "Memcpy HtoD (Pinned -> Device)"    bytes=10000
    gpu0/9  10   10   gpu_memcpy  "Memcpy HtoD (Pageable -> Device)"  bytes=30000
    gpu0/7  40   10   gpu_memcpy  "Memcpy DtoH (Device -> Pinned)"    bytes=10000
    gpu0/9  45   10   gpu_memcpy  "Memcpy DtoH (Device -> Pinned)"    bytes=20000
    gpu0/7  60   4    gpu_memset  "Memset (Device)"
  )trace");
  const RankCopies copies = measure_copies(small.ranks).front();
  REQUIRE(copies.kinds.size() == 3);
  const CopyRates &out = copies.kinds[0], &in = copies.kinds[1], &set = copies.kinds[2];
  CHECK(in.kind == "Memcpy HtoD");
  CHECK(*in.rate == doctest::Approx(2));
  CHECK(in.per_copy->most == doctest::Approx(3));
  CHECK(*in.concurrent_most == doctest::Approx(3));
  CHECK(out.any_time == 15 * us);
  CHECK(*out.concurrent == doctest::Approx(2));
  CHECK(*out.concurrent_most == doctest::Approx(3));
  CHECK(set.without_bytes == 1);
  CHECK_FALSE(set.rate.has_value());
}

}  // namespace orrery::analyze::testing

// Launch statistics, queue lengths, operator delays, copies, memory timelines.
#include <doctest/doctest.h>

#include "analyze/hta/copy_rates.h"
#include "analyze/hta/launch_stats.h"
#include "analyze/hta/memory_timeline.h"
#include "analyze/hta/operator_delays.h"
#include "analyze/hta/queue_length.h"
#include "small_hta_job.h"

using namespace orrery;
using namespace orrery::analyze::hta;
using namespace orrery::analyze::hta::testing;

namespace {

const std::string kLaunches = R"(
    1       0    100  cpu_op        aten::linear
    1       10   20   cpu_op        aten::mm
    1       15   5    cuda_runtime  cudaLaunchKernel  correlation=1
    gpu0/7  40   2    kernel        gemm              correlation=1
    1       30   60   cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  60   30   kernel        relu              correlation=2
)";

}  // namespace

TEST_CASE("hta launches: durations of calls and kernels, the delay between never negative") {
  const SmallHtaJob job({kLaunches});
  const std::vector<LaunchStats> stats = launch_stats(job.rows, {});
  REQUIRE(stats.size() == 1);
  CHECK(stats[0].cpu.sum == 65 * kPsPerUs);
  CHECK(stats[0].gpu.sum == 32 * kPsPerUs);
  CHECK(stats[0].delay.us.max == 20);
  CHECK(stats[0].delay.us.min == 0);
  CHECK(stats[0].short_kernels == 1);
  CHECK(stats[0].runtime_outliers == 1);
  CHECK(stats[0].delay_outliers == 0);
  CHECK(launch_stats(SmallHtaJob({"1 0 1 cpu_op a"}).rows, {})[0].cpu.us.count == 0);
}

TEST_CASE("hta queue: up at the launch, down at the start; the time at the limit") {
  const SmallHtaJob job({kLaunches});
  // lengths 1, 2, 1, 0 at 15, 30, 40, 60
  CHECK(csv_lines(queue_sheet(job.rows)) == Lines{"0,7,4,1,0.816496580927726,0,0.75,1,1.25,2"});
  CHECK(csv_lines(full_queue_sheet(job.rows, 2)) == Lines{"0,7,10," + std::string("0.16666666666666666")});
  CHECK(csv_lines(full_queue_sheet(job.rows, 3)).empty());
}

TEST_CASE("hta operators: the latest operator that covers the launch; later ranks hold the calls of earlier ones") {
  const SmallHtaJob job({kLaunches,
                         "1 0 10 cpu_op aten::add\n1 2 3 cuda_runtime cudaLaunchKernel correlation=1\n"
                         "gpu0/7 9 2 kernel vec correlation=1"});
  const auto found = operator_delays(job.rows);
  REQUIRE(found.ok());
  // rank, operator, count, launch delay, runtime delay, kernels
  CHECK(csv_lines(operators_sheet(*found)) == Lines{"0,aten::linear,1,30,30,relu", "0,aten::mm,1,5,25,gemm",
                                                    "1,aten::add,1,2,7,vec", "1,aten::linear,1,30,30,relu",
                                                    "1,aten::mm,1,5,25,gemm"});
  CHECK_FALSE(
      operator_delays(SmallHtaJob({"1 0 10 cpu_op aten::add\n1 2 3 cuda_runtime cudaLaunchKernel correlation=1"}).rows)
          .ok());
  CHECK_FALSE(operator_delays(SmallHtaJob({"1 2 3 cuda_runtime cudaLaunchKernel correlation=1"}).rows).ok());
}

TEST_CASE("hta copies: samples of the running rate, those of 0 left out") {
  const SmallHtaJob job({R"_(
      gpu0/7  0   10  gpu_memcpy  "Memcpy DtoH (Device -> Host)"  correlation=1
      gpu0/9  5   10  gpu_memcpy  "Memcpy DtoH (Device -> Host)"  correlation=2
      gpu0/7  30  0   gpu_memset  "Memset (Device)"               correlation=3
  )_"});
  REQUIRE(copy_rows(job.rows.front()).size() == 3);
  // 2, 5, 3, then 0
  CHECK(csv_lines(copy_rates_sheet(job.rows, {{2, 3, 4}})) ==
        Lines{"0,Memcpy DtoH,3,3.3333333333333335,1.5275252316519468,2,2.5,3,4,5", "0,Memset,1,4,,4,4,4,4,4"});
}

TEST_CASE("hta memory timeline: what was there before gets the least time") {
  const std::vector<MemoryChange> changes = {{-1, 100, 0}, {50, 10, 4}, {50, 5, 4}, {60, -15, 4}, {60, 7, 7}};
  const MemoryTimeline timeline = summarize_memory(changes);
  CHECK(timeline.points == 3);
  CHECK(timeline.least_ns == 50);
  CHECK(timeline.first_ns == 50);
  CHECK(timeline.last_ns == 60);
  CHECK(timeline.peak_bytes == 115);
  CHECK(timeline.peak[4] == 15);
  CHECK(timeline.final[4] == 0);
  CHECK(timeline.final[7] == 7);
}

// temporal, idle, overlap, annotations: what they count, and what HTA gets wrong in them.
#include <doctest/doctest.h>

#include "analyze/hta/idle.h"
#include "analyze/hta/stragglers.h"
#include "analyze/hta/temporal.h"
#include "small_hta_job.h"

using namespace orrery;
using namespace orrery::analyze::hta;
using namespace orrery::analyze::hta::testing;

TEST_CASE("hta temporal: overlapping and touching rows count once, sync rows with a stream count as busy") {
  const SmallHtaJob job({R"(
      gpu0/7  0   10  kernel      gemm                  correlation=1
      gpu0/9  5   10  kernel      ncclKernel_AllReduce  correlation=2
      gpu0/7  20  5   gpu_memcpy  "Memcpy DtoH"         correlation=3
      gpu0/7  30  10  cuda_sync   "Stream Sync"         correlation=4
  )"});
  // rank, idle, compute, non_compute, kernel, shares
  CHECK(csv_lines(temporal_sheet(job.rows)) == Lines{"0,10,10,20,40,25,25,50"});
}

TEST_CASE("hta temporal: a rank without device rows, or a negative duration, and there is no table at all") {
  const SmallHtaJob no_device({"gpu0/7 0 10 kernel gemm correlation=1", "1 0 10 cpu_op aten::mm"});
  CHECK(csv_lines(temporal_sheet(no_device.rows)) == Lines{"unavailable: a rank has no device rows"});
  const SmallHtaJob negative({"gpu0/7 0 10 kernel gemm correlation=1\ngpu0/7 20 -1 kernel ncclKernel correlation=2"});
  CHECK(csv_lines(temporal_sheet(negative.rows)) ==
        Lines{"unavailable: negative durations make the parts exceed the whole"});
}

TEST_CASE("hta idle: the host is to blame for the whole gap if it launched after the end of the kernel before") {
  const SmallHtaJob job({R"(
      1       0    1   cpu_op        aten::mm
      gpu0/7  10   10  kernel        first   correlation=1
      1       30   2   cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  40   10  kernel        second  correlation=2
      gpu0/7  55   10  kernel        third   correlation=3
      gpu0/7  100  10  kernel        fourth  correlation=4
      gpu0/9  60   1   cuda_sync     "Stream Sync"  correlation=5
  )"});
  const auto idle = idle_sheets(job.rows, 30);
  REQUIRE(idle.ok());
  // rank, stream, reason, idle, ratio: rows of waits are no work, so that stream 9 is missing
  CHECK(csv_lines(idle->times) == Lines{"0,7,host_wait,20,0.33", "0,7,kernel_wait,5,0.08", "0,7,other,35,0.58"});
  CHECK(csv_lines(idle->intervals) == Lines{"0,7,host_wait,1,20,,20,20,20,20,20", "0,7,kernel_wait,1,5,,5,5,5,5,5",
                                            "0,7,other,1,35,,35,35,35,35,35"});
}

TEST_CASE("hta idle: the first kernel of a stream makes a row of its own, without a gap") {
  const SmallHtaJob job({"gpu0/7 10 10 kernel alone correlation=1"});
  const auto idle = idle_sheets(job.rows, 30);
  REQUIRE(idle.ok());
  CHECK(csv_lines(idle->times) == Lines{"0,7,other,0,"});
  CHECK(csv_lines(idle->intervals) == Lines{"0,7,other,0,,,,,,,"});
}

TEST_CASE("hta overlap: time of both, of the time of communication") {
  const SmallHtaJob job({R"(
      gpu0/7  0   10  kernel  gemm                  correlation=1
      gpu0/9  5   15  kernel  ncclKernel_AllReduce  correlation=2
  )",
                         "gpu0/7 0 10 kernel gemm correlation=1"});
  CHECK(csv_lines(overlap_sheet(job.rows)) == Lines{"0,33.33", "1,"});
}

TEST_CASE("hta annotations: beyond the top, statistics are those of sums") {
  const SmallHtaJob job({R"(
      1  0   10  user_annotation  long
      1  20  20  user_annotation  long
      1  50  4   user_annotation  short
      1  60  1   user_annotation  shorter
  )"});
  CHECK(csv_lines(annotations_sheet(job.rows, "host_annotations", "user_annotation", {.top = 0})) ==
        Lines{"0,long,30,20,10,15,7.0710678118654755", "0,short,4,4,4,4,0", "0,shorter,1,1,1,1,0"});
  // Running sums 30, 34, 35; their quantile at 0.8 is 34.4.
  CHECK(csv_lines(annotations_sheet(job.rows, "host_annotations", "user_annotation", {.top = 2})) ==
        Lines{"0,long,30,30,30,30,0", "0,others,1,1,1,1,0", "0,short,4,4,4,4,0"});
  // What is to be kept stays, whatever its place; so nothing is left for the rest.
  CHECK(csv_lines(annotations_sheet(job.rows, "host_annotations", "user_annotation",
                                    {.top = 1, .keep_containing = {{"hort"}}})) ==
        Lines{"0,long,30,30,30,30,0", "0,short,4,4,4,4,0", "0,shorter,1,1,1,1,0"});
  CHECK(csv_lines(annotations_sheet(job.rows, "device_annotations", "gpu_user_annotation", {})) ==
        Lines{"unavailable: no gpu_user_annotation in the trace"});
}

TEST_CASE("hta steps: two names of steps anywhere in the job, and the last is dropped on every rank") {
  const SmallHtaJob job(
      {"1 0 10 user_annotation ProfilerStep#3\n1 5 1 cpu_op a\n1 10 10 user_annotation ProfilerStep#4\n1 15 1 cpu_op b",
       "1 0 10 user_annotation ProfilerStep#3\n1 5 1 cpu_op a"});
  CHECK(profiled_steps(job.rows) == std::vector<std::int64_t>{3});
  CHECK(job.rows[0].rows.frame.size() == 2);
  CHECK(job.rows[1].rows.frame.empty());  // its only step is its last
}

// Where the time of devices goes, on small traces whose answer can be written down.
#include "analyze/device/breakdown_sheets.h"
#include "analyze/small_devices.h"

namespace orrery::analyze::testing {

TEST_CASE("two streams that overlap fully count once") {
  const SmallDevices small(R"trace(
    1       0    10   cuda_runtime  cudaLaunchKernel  correlation=1
    1       10   10   cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  20   60   kernel        a                 correlation=1
    gpu0/9  20   60   kernel        b                 correlation=2
    1       20   80   cpu_op        aten::other
  )trace");
  CHECK(small.device().window == 100 * us);
  CHECK(small.device().busy_time() == 60 * us);
  CHECK(small.device().leading == 20 * us);
  CHECK(small.device().trailing == 20 * us);
  CHECK(small.kernels().time[0] == 120 * us);  // sums of calls are of calls
}

TEST_CASE("a gap is the host's until the launch call has returned, and then what bound the start") {
  const SmallDevices small(R"trace(
    1       0    5    cuda_runtime  cudaLaunchKernel  correlation=1
    gpu0/7  10   20   kernel        a                 correlation=1
    1       50   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  60   10   kernel        b                 correlation=2
    1       61   2    cuda_runtime  cudaLaunchKernel  correlation=3
    gpu0/7  73   10   kernel        c                 correlation=3
    gpu0/7  283  10   kernel        "launched by nobody"
    1       300  1    cpu_op        aten::end
  )trace");
  // 0 to 5 in the first call, 30 to 55 until the second returned and 293 to 301 after the last work; 5 to 10 and 55 to
  // 60 of launching; 70 to 73 queued; 83 to 283 not known.
  CHECK(small.idle(IdleReason::host_wait) == 38 * us);
  CHECK(small.idle(IdleReason::launch_latency) == 10 * us);
  CHECK(small.idle(IdleReason::kernel_gap) == 3 * us);
  CHECK(small.idle(IdleReason::unknown) == 200 * us);
  CHECK(small.idle(IdleReason::stream_wait) == 0);
  check_sums(small.breakdown);
}

TEST_CASE("work from before the recording is neither busy nor idle, whatever the host did meanwhile") {
  const SmallDevices small(R"trace(
    1       0    10   cpu_op        aten::prepare
    1       20   5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       30   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/9  40   60   kernel        beside            correlation=2
    gpu0/7  400  50   kernel        first             correlation=1
    1       460  40   cpu_op        aten::end
  )trace");
  // Stream 7 is occupied until 400, of which stream 9 covers 60; its own launch had come at 35.
  CHECK(small.idle(IdleReason::earlier_work) == 340 * us);
  CHECK(small.device().idle.earlier() == 340 * us);
  CHECK(small.device().busy_time() == 110 * us);
  CHECK(small.device().idle_time() == 50 * us);
  CHECK(small.idle(IdleReason::host_wait) == 50 * us);
  CHECK(small.device().leading == 0);
  CHECK(small.device().trailing == 50 * us);
  // A stream of its own: the other one waited for its launch, and then for nothing known to have been before it.
  REQUIRE(small.breakdown.front().streams.size() == 2);
  CHECK(small.breakdown.front().streams[0].idle.earlier() == 400 * us);
  CHECK(small.breakdown.front().streams[1].idle.earlier() == 0);
  check_sums(small.breakdown);
  const report::Sheet parts = parts_sheet(sum_of(small.breakdown));
  CHECK(parts.text(parts.find("part"), parts.rows() - 1) == "earlier_work");
  const report::Sheet temporal = temporal_sheet(small.breakdown);
  CHECK(temporal.number(temporal.find("earlier"), 0) == 340);
}

TEST_CASE("while a device waits for a launch call: what the thread ran that launches, to the picosecond") {
  const SmallDevices small(R"trace(
    1       0    90   user_annotation  ProfilerStep#7
    1       0    5    cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  5    5    kernel           a                      correlation=1
    1       12   20   cpu_op           aten::linear
    1       15   10   cpu_op           aten::empty
    1       40   8    cuda_runtime     cudaStreamSynchronize
    1       60   2    python_function  "train.py(7): step"
    1       70   5    cuda_runtime     cudaLaunchKernel       correlation=2
    gpu0/7  75   15   kernel           b                      correlation=2
  )trace");
  std::map<std::string, TimePs> rows;
  for (const HostWaitCause& cause : small.device().host_waits)
    rows[std::string(identifier(cause.kind)) + " " + cause.name] += cause.time;
  CHECK(rows == std::map<std::string, TimePs>{{"cpu_operator aten::linear", 10 * us},
                                              {"cpu_operator aten::empty", 10 * us},
                                              {"cpu_runtime cudaStreamSynchronize", 8 * us},
                                              {"cpu_runtime cudaLaunchKernel", 10 * us},
                                              {"cpu_python train.py(7): step", 2 * us},
                                              {"cpu_untraced ProfilerStep#", 30 * us}});
  CHECK(small.idle(IdleReason::host_wait) == 70 * us);
}

TEST_CASE("while a device waits for a launch of another thread: what that one was given it by") {
  // The main thread stands in its backward pass while autograd's thread works; before that it is the main thread that
  // keeps the device waiting.
  const SmallDevices small(R"trace(
    1       0     5     cuda_runtime     cudaLaunchKernel       correlation=1
    gpu0/7  5     5     kernel           a                      correlation=1
    1       10    90    cpu_op           aten::prepare
    1       100   900   user_annotation  backward
    2       110   880   cpu_op           "autograd::engine::evaluate_function: MulBackward0"
    2       600   5     cuda_runtime     cudaLaunchKernel       correlation=2
    gpu0/7  610   5     kernel           b                      correlation=2
    1       1000  5     cuda_runtime     cudaLaunchKernel       correlation=3
    gpu0/7  1005  5     kernel           c                      correlation=3
  )trace");
  std::map<std::string, TimePs> rows;
  TimePs all = 0;
  for (const HostWaitCause& cause : small.device().host_waits) {
    rows[std::string(identifier(cause.kind)) + " " + cause.name] += cause.time;
    all += cause.time;
  }
  CHECK(all == small.idle(IdleReason::host_wait));
  CHECK(rows["cpu_operator aten::prepare"] == 90 * us);
  CHECK(rows["cpu_operator autograd::engine::evaluate_function: MulBackward0"] == (490 + 375) * us);
  CHECK(rows["handoff "] == 20 * us);  // 100 to 110 and 990 to 1000
}

TEST_CASE("a stream waits for another; the device does not while that one works") {
  const SmallDevices small(R"trace(
    1       0    2    cuda_runtime  cudaLaunchKernel       correlation=1
    1       3    1    cuda_runtime  cudaEventRecord        correlation=2
    1       5    1    cuda_runtime  cudaStreamWaitEvent    correlation=3
    1       7    2    cuda_runtime  cudaLaunchKernel       correlation=4
    gpu0/7  10   60   kernel        first                  correlation=1
    gpu0/9  5    1    cuda_sync     "Stream Wait Event"    correlation=3 wait_on_stream=7 wait_on_cuda_event_record_corr_id=2
    gpu0/9  74   10   kernel        second                 correlation=4
  )trace");
  CHECK(small.idle(IdleReason::stream_wait) == 4 * us);
  const StreamTime& waiting = small.breakdown.front().streams.at(1);
  CHECK(waiting.queue.stream == 9);
  CHECK(waiting.idle.time[static_cast<std::size_t>(IdleReason::stream_wait)] == 65 * us);
  check_sums(small.breakdown);
}

TEST_CASE("what work is for is told by its category, its collective and its launching operator") {
  const SmallDevices small(R"trace(
    1       0    20   cpu_op        c10d::allreduce_
    1       5    5    cuda_runtime  cudaLaunchKernel  correlation=1
    1       30   5    cuda_runtime  cudaLaunchKernel  correlation=2
    gpu0/7  10   10   kernel        cross_device_reduce_1stage  correlation=1
    gpu0/7  40   10   kernel        MemcpySyncdma     correlation=2
    gpu0/7  60   10   gpu_memset    ncclInit
    gpu0/7  80   10   kernel        ncclKernel_Broadcast
  )trace");
  const std::vector<WorkType> expected = {WorkType::communication, WorkType::computation, WorkType::memory_set,
                                          WorkType::communication};
  CHECK(small.ranks.front().types == expected);
}

TEST_CASE("synchronisations and operators with a stream are no device work") {
  const SmallDevices small(R"trace(
    1       0    50   cpu_op        triton_poi  stream=7
    gpu0/7  0    90   cuda_sync     "Stream Sync"
    gpu0/7  10   1    kernel        triton_poi
  )trace");
  CHECK(small.device().busy_time() == 1 * us);
}

}  // namespace orrery::analyze::testing

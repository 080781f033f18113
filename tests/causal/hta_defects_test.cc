// What Holistic Trace Analysis gets wrong about the path (section 4 of its specification), and the default mode gets
// right.
#include <doctest/doctest.h>

#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

namespace {

std::size_t count_kind(const RankGraph& step, EdgeKind kind) {
  std::size_t count = 0;
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) count += step.kind(slot) == kind ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("all kernels of a CUDA graph are in the step, and the path goes through them") {
  const SmallStep small(R"(
      1       0    100  cpu_op        replay
      1       10   20   cuda_runtime  cudaGraphLaunch  correlation=1
      gpu0/7  40   100  kernel        first            correlation=1
      gpu0/7  142  100  kernel        second           correlation=1
      gpu0/7  244  100  kernel        third            correlation=1
  )");
  CHECK(small.path() == Lines{"cpu_operator replay 10", "launch_delay first 30", "kernel first 100",
                              "kernel_gap second 2", "kernel second 100", "kernel_gap third 2", "kernel third 100"});
}

TEST_CASE("a HIP graph that spreads over streams: the branch waits for the kernel that ended just before it") {
  const SmallStep small(R"(
      1       0    100  cpu_op        replay
      1       10   20   cuda_runtime  hipGraphLaunch  correlation=1
      gpu0/0  40   60   kernel        trunk           correlation=1
      gpu0/3  102  50   kernel        branch          correlation=1
  )");
  CHECK(small.path() == Lines{"cpu_operator replay 10", "launch_delay trunk 30", "kernel trunk 60",
                              "stream_wait branch 2", "kernel branch 50"});
}

TEST_CASE(
    "a copy from pageable memory blocks its cudaMemcpyAsync: the path goes through the device, not through the call") {
  const SmallStep small(R"(
      1       0    200  cpu_op        aten::to
      1       5    10   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  20   100  kernel        gemm              correlation=1
      1       30   120  cuda_runtime  cudaMemcpyAsync   correlation=2
      gpu0/7  122  20   gpu_memcpy    "Memcpy DtoH"     correlation=2
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::to 5", "cpu_runtime cudaLaunchKernel 10", "launch_delay gemm 5",
                              "kernel gemm 100", "kernel_gap Memcpy DtoH 2", "memory_copy Memcpy DtoH 20",
                              "sync_return cudaMemcpyAsync 8", "cpu_operator aten::to 50"});
}

TEST_CASE("cudaMemcpy waits for its own copy") {
  const SmallStep small(R"(
      1       0    60  cpu_op        aten::item
      1       10   40  cuda_runtime  cudaMemcpy     correlation=1
      gpu0/7  15   30  gpu_memcpy    "Memcpy DtoH"  correlation=1
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::item 10", "cpu_runtime cudaMemcpy 5", "memory_copy Memcpy DtoH 30",
                              "sync_return cudaMemcpy 5", "cpu_operator aten::item 10"});
}

TEST_CASE("an asynchronous copy that goes on after its call does not hold the host") {
  const SmallStep small(R"(
      1       0    100  cpu_op        aten::copy_
      1       10   5    cuda_runtime  cudaMemcpyAsync  correlation=1
      gpu0/7  20   30   gpu_memcpy    "Memcpy HtoD"    correlation=1
  )");
  CHECK(small.path() ==
        Lines{"cpu_operator aten::copy_ 10", "cpu_runtime cudaMemcpyAsync 5", "cpu_operator aten::copy_ 85"});
}

TEST_CASE("gaps between top-level operators are part of the path") {
  const SmallStep small(R"(
      1  0    10  cpu_op  aten::mul
      1  60   10  cpu_op  aten::add
      1  500  10  cpu_op  aten::sub
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::mul 10", "cpu_untraced 50", "cpu_operator aten::add 10",
                              "cpu_untraced 430", "cpu_operator aten::sub 10"});
}

TEST_CASE("blocking calls wait for the device although no sync event says so") {
  for (const char* call : {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                           "hipDeviceSynchronize", "hipStreamSynchronize", "cuCtxSynchronize"}) {
    CAPTURE(call);
    const SmallStep small(R"(
      1       0    10   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  6    100  kernel        gemm              correlation=1
      1       12   100  cuda_runtime  )" +
                          std::string(call) + R"(  correlation=2
      1       112  5    cpu_op        aten::add
    )");
    CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 6", "kernel gemm 100",
                                "sync_return " + std::string(call) + " 6", "cpu_operator aten::add 5"});
    CHECK(small.count("L203") == 1);
  }
}

TEST_CASE("a blocking call that had nothing to wait for is host time") {
  const SmallStep small(R"(
      1       0    10  cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  2    3   kernel        fill                   correlation=1
      1       10   7   cuda_runtime  cudaDeviceSynchronize  correlation=2
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 10", "cpu_runtime cudaDeviceSynchronize 7"});
}

TEST_CASE("the host waits for the last of several streams") {
  const SmallStep small(R"(
      1        0   5    cuda_runtime  cudaLaunchKernel       correlation=1
      1        5   5    cuda_runtime  cudaLaunchKernel       correlation=2
      gpu0/7   10  50   kernel        short                  correlation=1
      gpu0/20  11  100  kernel        long                   correlation=2
      1        12  103  cuda_runtime  cudaDeviceSynchronize  correlation=3
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 5", "cpu_runtime cudaLaunchKernel 5", "launch_delay long 1",
                              "kernel long 100", "sync_return cudaDeviceSynchronize 4"});
}

TEST_CASE("durations below a microsecond keep every digit") {
  const SmallStep small(R"(
      1  1700000000000000.123  0.877  cpu_op  aten::mul
      1  1700000000000001.500  0.250  cpu_op  aten::add
      1  1700000000000001.750  0.001  cpu_op  aten::sub
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::mul 0.877", "cpu_untraced 0.5", "cpu_operator aten::add 0.25",
                              "cpu_operator aten::sub 0.001"});
}

TEST_CASE("two GPUs that use the same stream number do not wait for each other") {
  const SmallStep small(R"(
      1       0    10   cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  6    300  kernel        on_first          correlation=1
      1       200  10   cuda_runtime  cudaLaunchKernel  correlation=2
      gpu1/7  310  50   kernel        on_second         correlation=2
  )");
  CHECK(count_kind(small.step, EdgeKind::kernel_gap) == 0);
  CHECK(count_kind(small.step, EdgeKind::stream_wait) == 0);
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 10", "cpu_untraced 190", "cpu_runtime cudaLaunchKernel 10",
                              "launch_delay on_second 100", "kernel on_second 50"});
}

TEST_CASE("a kernel that waits for two streams keeps both dependencies") {
  const SmallStep small(R"(
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
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 2", "launch_delay left 3", "kernel left 100",
                              "stream_wait join 2", "kernel join 30"});
  CHECK(count_kind(small.step, EdgeKind::stream_wait) == 2);
  // With `left` gone, the other dependency is the one that binds.
  graph::Edits edits(small.step.graph);
  for (graph::Slot slot = 0; slot < small.step.graph.edge_count(); ++slot) {
    if (describe(small.step, slot, small.step.graph.weight(slot)) == "kernel left 100") edits.set_weight(slot, 0);
  }
  const graph::Solution solution = graph::solve(edits, small.step.end);
  CHECK(path_lines(small.step, solution).back() == "kernel join 30");
  CHECK(solution.length() == (6 + 4 + 80 + 30) * kPsPerUs);
}

TEST_CASE("a wait for an event of the same stream is harmless") {
  const SmallStep small(R"(
      1       0   2    cuda_runtime  cudaLaunchKernel     correlation=1
      1       3   2    cuda_runtime  cudaEventRecord      correlation=2
      1       6   2    cuda_runtime  cudaStreamWaitEvent  correlation=3
      1       9   2    cuda_runtime  cudaLaunchKernel     correlation=4
      gpu0/7  5   50   kernel        first                correlation=1
      gpu0/7  6   1    cuda_sync     "Stream Wait Event"  correlation=3  wait_on_stream=7  wait_on_cuda_event_record_corr_id=2
      gpu0/7  57  50   kernel        second               correlation=4
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 2", "launch_delay first 3", "kernel first 50",
                              "kernel_gap second 2", "kernel second 50"});
}

TEST_CASE("a trace of the host alone") {
  const SmallStep small(R"(
      1  0   100  cpu_op           aten::linear
      1  10  80   cpu_op           aten::addmm
      1  100 20   user_annotation  "optimizer step"
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::linear 10", "cpu_operator aten::addmm 80",
                              "cpu_operator aten::linear 10", "cpu_untraced optimizer step 20"});
}

TEST_CASE("a trace of the device alone") {
  const SmallStep small(R"(
      gpu0/7  0   50  kernel  first   correlation=1
      gpu0/7  53  50  kernel  second  correlation=2
  )");
  CHECK(small.path() == Lines{"kernel first 50", "kernel_gap second 3", "kernel second 50"});
  CHECK(small.count("L201") == 2);
}

TEST_CASE("an MTIA trace") {
  const SmallStep small(R"(
      1       0   30   cpu_op           aten::mm
      1       5   10   mtia_runtime     "runFunction - job_prep_and_submit_for_execution"  correlation=1
      gpu0/0  25  100  mtia_ccp_events  job_exe                                            correlation=1
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::mm 5",
                              "cpu_runtime runFunction - job_prep_and_submit_for_execution 10",
                              "launch_delay job_exe 10", "kernel job_exe 100"});
}

TEST_CASE("category names of before 2022") {
  const SmallStep small(R"(
      1       0    80   Operator  aten::to
      1       5    10   Runtime   cudaLaunchKernel  correlation=1  "external id"=3
      gpu0/7  20   100  Kernel    gemm              correlation=1  "external id"=3
      1       30   100  Runtime   cudaMemcpyAsync   correlation=2
      gpu0/7  121  5    Memcpy    "Memcpy DtoH"     correlation=2
      gpu0/7  127  5    Memset    Memset            correlation=3
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::to 5", "cpu_runtime cudaLaunchKernel 10", "launch_delay gemm 5",
                              "kernel gemm 100", "kernel_gap Memcpy DtoH 1", "memory_copy Memcpy DtoH 5",
                              "kernel_gap Memset 1", "memory_set Memset 5"});
}

TEST_CASE("an AMD trace: HIP launches, copies and waits") {
  const SmallStep small(R"(
      1       0    200  cpu_op        aten::mm
      1       5    10   cuda_runtime  hipLaunchKernel      correlation=1
      gpu2/3  20   100  kernel        Cijk_Ailk_Bljk       correlation=1
      1       30   5    cuda_runtime  hipMemcpyWithStream  correlation=2
      gpu2/3  122  8    gpu_memcpy    CopyDeviceToHost     correlation=2
      1       40   95   cuda_runtime  hipStreamSynchronize
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::mm 5", "cpu_runtime hipLaunchKernel 10",
                              "launch_delay Cijk_Ailk_Bljk 5", "kernel Cijk_Ailk_Bljk 100",
                              "kernel_gap CopyDeviceToHost 2", "memory_copy CopyDeviceToHost 8",
                              "sync_return hipStreamSynchronize 5", "cpu_operator aten::mm 65"});
}

TEST_CASE("a stream that is idle for milliseconds: its next kernel is explained by its launch") {
  const SmallStep small(R"(
      1       0     10    cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  6     20    kernel        first             correlation=1
      1       20    4000  cpu_op        aten::nonzero
      1       4020  10    cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  4026  20    kernel        second            correlation=2
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 10", "cpu_untraced 10", "cpu_operator aten::nonzero 4000",
                              "cpu_runtime cudaLaunchKernel 6", "kernel second 20"});
}

TEST_CASE("a stream that is idle for milliseconds with work in its queue is called idle, not lost") {
  const SmallStep small(R"(
      1       0     10  cuda_runtime  cudaLaunchKernel  correlation=1
      1       10    10  cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  6     20  kernel        first             correlation=1
      gpu0/7  4026  20  kernel        second            correlation=2
  )");
  CHECK(small.path() ==
        Lines{"cpu_runtime cudaLaunchKernel 6", "kernel first 20", "idle_device second 4000", "kernel second 20"});
}

TEST_CASE("without profiler steps the whole trace is analysed") {
  const SmallStep small(R"(
      1       5   10  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  20  40  kernel        gemm              correlation=1
  )");
  CHECK(small.step.window.is_whole_trace);
  CHECK(small.step.window.label == "whole trace");
  CHECK(small.span_us() == 55);
}

TEST_CASE("the last step can be analysed like any other") {
  const char* const lines = R"(
      1  0    100  user_annotation  ProfilerStep#1
      1  100  100  user_annotation  ProfilerStep#2
      1  200  100  user_annotation  ProfilerStep#3
      1  210  50   cpu_op           aten::mm
  )";
  const SmallStep small(lines, instance_of("ProfilerStep", 2));
  CHECK(small.step.window.label == "ProfilerStep#3");
  CHECK(small.path() ==
        Lines{"cpu_untraced ProfilerStep#3 10", "cpu_operator aten::mm 50", "cpu_untraced ProfilerStep#3 40"});
  const SmallStep all(lines, {.annotation = "ProfilerStep", .first_instance = 0, .last_instance = 2});
  CHECK(all.step.window.label == "ProfilerStep#1 to ProfilerStep#3");
  CHECK(all.span_us() == 300);
}

TEST_CASE("negative durations count as none") {
  const SmallStep small(R"(
      1       0   50  cpu_op        aten::mm
      1       5   -3  cpu_op        aten::empty
      1       10  10  cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  30  -1  kernel        instant           correlation=1
      1       20  10  cuda_runtime  cudaLaunchKernel  correlation=2
      gpu0/7  40  30  kernel        gemm              correlation=2
  )");
  CHECK(small.path() == Lines{"cpu_operator aten::mm 10", "cpu_runtime cudaLaunchKernel 10", "launch_delay instant 10",
                              "kernel_gap gemm 10", "kernel gemm 30"});
  CHECK(has_edge(small.step, "kernel instant 0"));
}

TEST_CASE("ncclDevKernel is communication, and so is any kernel that records a collective") {
  const SmallStep small(R"(
      1        0    10  cuda_runtime  cudaLaunchKernel                    correlation=1
      gpu0/20  10   50  kernel        ncclDevKernel_AllReduce_Sum_f32     correlation=1
      gpu0/20  62   50  kernel        vendor_reduce                       correlation=2  "Collective name"=allreduce
      gpu0/20  114  50  kernel        gemm                                correlation=3
      gpu0/20  166  50  kernel        "void rccl::ReduceScatter<float>"   correlation=4
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 10", "communication ncclDevKernel_AllReduce_Sum_f32 50",
                              "kernel_gap vendor_reduce 2", "communication vendor_reduce 50", "kernel_gap gemm 2",
                              "kernel gemm 50", "kernel_gap void rccl::ReduceScatter<float> 2",
                              "communication void rccl::ReduceScatter<float> 50"});
}

TEST_CASE("a recorded wait that does not say what for (CUDA 12.9) means the thread's last event record") {
  const SmallStep small(R"(
      1        0    2    cuda_runtime  cudaLaunchKernel     correlation=1
      1        3    2    cuda_runtime  cudaEventRecord      correlation=2
      1        6    2    cuda_runtime  cudaStreamWaitEvent  correlation=3
      1        9    2    cuda_runtime  cudaLaunchKernel     correlation=4
      gpu0/7   5    100  kernel        producer             correlation=1
      gpu0/20  6    1    cuda_sync     "Stream Wait Event"  correlation=3  wait_on_stream=-1  wait_on_cuda_event_record_corr_id=-1
      gpu0/20  107  30   kernel        consumer             correlation=4
  )");
  CHECK(small.path() == Lines{"cpu_runtime cudaLaunchKernel 2", "launch_delay producer 3", "kernel producer 100",
                              "stream_wait consumer 2", "kernel consumer 30"});
  CHECK(small.count("L204") == 1);
}

// Which host calls waited for the device, and for what.
#include "causal/host/host_waits.h"

#include <doctest/doctest.h>

#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

namespace {

// "cudaStreamSynchronize waits for gemm", with (inferred) where no record says so.
Lines wait_lines(std::string_view lines) {
  const SmallTrace small(lines);
  Diagnostics diagnostics;
  const trace::ContentOrder content(small.trace(), small.rank());
  const DeviceTimeline timeline = make_device_timeline(small.trace(), small.rank(), content, diagnostics);
  Lines found;
  for (const HostWait& wait : find_host_waits(small.trace(), small.rank(), timeline, content, diagnostics)) {
    found.push_back(std::string(small.trace().name(small.rank(), wait.call)) + " waits for " +
                    std::string(small.trace().name(small.rank(), timeline.works[wait.work].event)) +
                    (wait.inferred ? " (inferred)" : ""));
  }
  return found;
}

}  // namespace

TEST_CASE("calls that block by their name") {
  for (const char* name : {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cuCtxSynchronize",
                           "cuStreamSynchronize", "hipDeviceSynchronize", "hipStreamSynchronize", "hipEventSynchronize",
                           "cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream", "cudaFree", "hipFree"}) {
    CAPTURE(name);
    CHECK(is_blocking_call(name));
  }
  for (const char* name :
       {"cudaMemcpyAsync", "cudaLaunchKernel", "cudaEventQuery", "cudaEventRecord", "cudaStreamWaitEvent", "cudaMalloc",
        "hipMemcpyAsync", "aten::Synchronize", "Stream Sync", ""}) {
    CAPTURE(name);
    CHECK_FALSE(is_blocking_call(name));
  }
}

TEST_CASE("a call without a record waited for what ended last before it returned, among what was launched before it") {
  CHECK(wait_lines(R"(
      1       0    4   cuda_runtime  cudaLaunchKernel       correlation=1
      1       5    4   cuda_runtime  cudaLaunchKernel       correlation=2
      2       20   4   cuda_runtime  cudaLaunchKernel       correlation=3
      gpu0/7  5    30  kernel        first                  correlation=1
      gpu0/9  10   30  kernel        last                   correlation=2
      gpu0/8  25   20  kernel        launched_later         correlation=3
      1       15   35  cuda_runtime  cudaDeviceSynchronize
  )") == Lines{"cudaDeviceSynchronize waits for last (inferred)"});
}

TEST_CASE("a record takes precedence over what can be inferred") {
  const char* const lines = R"(
      1       0    4   cuda_runtime  cudaLaunchKernel       correlation=1
      1       5    4   cuda_runtime  cudaLaunchKernel       correlation=2
      gpu0/7  5    30  kernel        waited_for             correlation=1
      gpu0/9  10   30  kernel        ends_later             correlation=2
      1       15   35  cuda_runtime  cudaStreamSynchronize  correlation=3
  )";
  CHECK(wait_lines(lines) == Lines{"cudaStreamSynchronize waits for ends_later (inferred)"});
  CHECK(wait_lines(lines + std::string("gpu0/7 16 20 cuda_sync \"Stream Sync\" correlation=3")) ==
        Lines{"cudaStreamSynchronize waits for waited_for"});
  CHECK(wait_lines(lines + std::string("gpu0/-1 16 20 cuda_sync \"Context Sync\" correlation=3")) ==
        Lines{"cudaStreamSynchronize waits for waited_for", "cudaStreamSynchronize waits for ends_later"});
}

TEST_CASE("a wait for another device") {
  CHECK(wait_lines(R"(
      1        0    4   cuda_runtime  cudaLaunchKernel       correlation=1
      1        5    4   cuda_runtime  cudaLaunchKernel       correlation=2
      gpu0/7   5    30  kernel        on_first               correlation=1
      gpu1/7   10   20  kernel        on_second              correlation=2
      1        15   35  cuda_runtime  cudaDeviceSynchronize  correlation=3
      gpu1/-1  16   20  cuda_sync     "Context Sync"         correlation=3
  )") == Lines{"cudaDeviceSynchronize waits for on_second"});
}

TEST_CASE("work that had ended before the call: what it would wait for, except for events, which may be old") {
  const auto waits_of = [](const std::string& call) {
    return wait_lines(
        "1 0 4 cuda_runtime cudaLaunchKernel correlation=1\ngpu0/7 5 5 kernel gemm correlation=1\n1 50 3 "
        "cuda_runtime " +
        call + " correlation=2\n");
  };
  CHECK(waits_of("cudaDeviceSynchronize") == Lines{"cudaDeviceSynchronize waits for gemm (inferred)"});
  CHECK(waits_of("cudaEventSynchronize").empty());
}

TEST_CASE("a call that took no time waited for nothing") {
  CHECK(wait_lines(R"(
      1       0   4   cuda_runtime  cudaLaunchKernel       correlation=1
      gpu0/7  5   5   kernel        gemm                   correlation=1
      1       20  0   cuda_runtime  cudaDeviceSynchronize
      1       30  -5  cuda_runtime  cudaStreamSynchronize
  )")
            .empty());
}

TEST_CASE("a copy of ordinary memory that was all but done when its call returned has held the call") {
  const auto waits_of = [](const std::string& copy) {
    return wait_lines("1 0 250 cuda_runtime cudaMemcpyAsync correlation=1\ngpu0/7 60 " + copy + " correlation=1\n");
  };
  CHECK(waits_of("210 gpu_memcpy \"Memcpy HtoD (Pageable -> Device)\"") ==
        Lines{"cudaMemcpyAsync waits for Memcpy HtoD (Pageable -> Device)"});
  CHECK(waits_of("400 gpu_memcpy \"Memcpy HtoD (Pageable -> Device)\"").empty());
  CHECK(waits_of("210 gpu_memcpy \"Memcpy HtoD (Pinned -> Device)\"").empty());
}

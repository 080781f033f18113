// Host threads that wait for the device by asking again and again.
#include "causal/host/host_polls.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

namespace {

// A kernel of 1000 us, launched at 0 to 4 within a step of 1200 us.
constexpr const char* kLaunched = R"(
    1       0    1200  user_annotation  ProfilerStep#1
    1       0    4     cuda_runtime     cudaLaunchKernel  correlation=1
    gpu0/7  5    1000  kernel           gemm              correlation=1
)";

std::string queries(const std::string& call, int first_us, int last_us, int period_us, const std::string& lane = "1") {
  std::string lines;
  for (int at = first_us; at <= last_us; at += period_us)
    lines += fmt::format("{} {} 1 cuda_runtime {} correlation={}\n", lane, at, call, 1000 + at);
  return lines;
}

bool has_line(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("calls that ask") {
  for (const char* name :
       {"cudaEventQuery", "cudaStreamQuery", "cuEventQuery", "cuStreamQuery", "hipEventQuery", "hipStreamQuery"})
    CHECK(is_query_call(name));
  for (const char* name : {"cudaEventSynchronize", "cudaEventRecord", "cudaDeviceGetAttribute", "myEventQuery", ""})
    CHECK_FALSE(is_query_call(name));
}

TEST_CASE("asking until the work is done is a wait for the work") {
  for (const char* call : {"cudaEventQuery", "cudaStreamQuery"}) {
    const SmallStep step(kLaunched + queries(call, 10, 1006, 4));
    CHECK(step.path() == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay gemm 1", "kernel gemm 1000",
                               fmt::format("sync_return {} 2", call), "cpu_untraced ProfilerStep#1 193"});
  }
  // With pauses between, as time.sleep makes them.
  CHECK(has_line(SmallStep(kLaunched + queries("cudaEventQuery", 10, 1210, 100)).path(), "kernel gemm 1000"));
}

TEST_CASE("asking that ends while nothing changes was no wait") {
  CHECK_FALSE(has_line(SmallStep(kLaunched + queries("cudaEventQuery", 10, 500, 4)).path(), "kernel gemm 1000"));
  // An allocator asks a few times in a row; what it asks for may end meanwhile.
  CHECK_FALSE(
      has_line(SmallStep(kLaunched + queries("cudaEventQuery", 1002, 1006, 4)).path(), "sync_return cudaEventQuery 2"));
  // A watchdog asks for what others launched, in passing.
  CHECK_FALSE(has_line(
      SmallStep(kLaunched + std::string("1 10 600 cpu_op aten::mm\n") + queries("cudaEventQuery", 10, 1006, 4, "2"))
          .path(),
      "kernel gemm 1000"));
  // Another looks in now and then.
  CHECK_FALSE(has_line(
      SmallStep("1 0 9000 user_annotation ProfilerStep#1\n1 0 4 cuda_runtime cudaLaunchKernel correlation=1\ngpu0/7 5 "
                "7000 kernel gemm correlation=1\n" +
                queries("cudaEventQuery", 10, 8000, 2500))
          .path(),
      "kernel gemm 7000"));
}

TEST_CASE("nothing recorded from a launch until its work has just ended is a look at memory that the work writes") {
  const auto path_until = [](int end_us) {
    return SmallStep(kLaunched + fmt::format("1 {} 20 cpu_op aten::add\n", end_us)).path();
  };
  CHECK(path_until(1010) == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay gemm 1", "kernel gemm 1000",
                                  "sync_return ProfilerStep#1 5", "cpu_operator aten::add 20",
                                  "cpu_untraced ProfilerStep#1 170"});
  // It had written before it ended: the part of it until then is what was waited for.
  CHECK(path_until(950) == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay gemm 1", "kernel gemm 945",
                                 "cpu_operator aten::add 20", "cpu_untraced ProfilerStep#1 230"});
  for (const int end_us : {180, 880, 1070}) {
    CAPTURE(end_us);
    CHECK_FALSE(has_line(path_until(end_us), "kernel gemm 1000"));
    CHECK(has_line(path_until(end_us), fmt::format("cpu_untraced ProfilerStep#1 {}", end_us - 4)));
  }
  // It did something else before.
  CHECK_FALSE(
      has_line(SmallStep(std::string(kLaunched) + "1 10 200 cpu_op aten::mm\n1 1010 20 cpu_op aten::add\n").path(),
               "kernel gemm 1000"));
}

TEST_CASE("a copy to the host is looked for though other work was launched after it") {
  const SmallStep step(R"~(
      1       0    2200  user_annotation  ProfilerStep#1
      1       0    4     cuda_runtime     cudaLaunchKernel                   correlation=1
      1       4    4     cuda_runtime     cudaMemcpyAsync                    correlation=2
      1       8    4     cuda_runtime     cudaLaunchKernel                   correlation=3
      gpu0/7  5    1000  kernel           first                              correlation=1
      gpu0/7  1006 2     gpu_memcpy       "Memcpy DtoH (Device -> Pinned)"   correlation=2
      gpu0/7  1009 1000  kernel           second                             correlation=3
      1       1020 100   cpu_op           aten::add
      1       1120 1080  cpu_op           aten::mm
  )~");
  CHECK(step.path() == Lines{"cpu_runtime cudaLaunchKernel 4", "launch_delay first 1", "kernel first 1000",
                             "kernel_gap Memcpy DtoH (Device -> Pinned) 1",
                             "memory_copy Memcpy DtoH (Device -> Pinned) 2", "sync_return ProfilerStep#1 12",
                             "cpu_operator aten::add 100", "cpu_operator aten::mm 1080"});
}

TEST_CASE("a loop that reads a value again and again, until the work is done") {
  std::string lines = kLaunched;
  for (int at = 10; at <= 1014; at += 4)
    lines += fmt::format("1 {} 2 cpu_op aten::item\n1 {}.5 1 cpu_op aten::_local_scalar_dense\n", at, at);
  CHECK(has_line(SmallStep(lines).path(), "kernel gemm 1000"));
  // A loop that computes is none.
  std::string computes = kLaunched;
  for (int at = 10; at <= 1014; at += 4)
    computes += fmt::format("1 {} 2 cpu_op aten::sum\n1 {}.5 1 cpu_op aten::fill_\n", at, at);
  CHECK_FALSE(has_line(SmallStep(computes).path(), "kernel gemm 1000"));
}

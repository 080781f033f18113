// Waits for the device that are no calls into its runtime.
#include "causal/host/silent_waits.h"

#include <algorithm>

#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

TEST_CASE("names of events that wait") {
  for (const char* name :
       {"np.asarray(jax.Array)", "$array.py:629 _value", "$array.py:293 __float__", "$array.py:404 __array__",
        "$api.py:2757 block_until_ready", "block_until_ready", "Acquire semaphore",
        "ComputeSemaphoreAcquire [capacity=32, value=0]", "PjRtStreamExecutorBuffer::Await"}) {
    CAPTURE(name);
    CHECK(is_waiting_call(name));
  }
  for (const char* name : {"$array.py:256 ndim", "$train.py:12 __float__", "$array.py", "$numpy asarray",
                           "PjitFunction(step)", "aten::item", "cudaStreamSynchronize", ""}) {
    CAPTURE(name);
    CHECK_FALSE(is_waiting_call(name));
  }
}

namespace {

// Whether the lines have these among them, in this order.
bool goes_by(const Lines& path, const Lines& expected) {
  auto at = path.begin();
  for (const std::string& line : expected) {
    at = std::find(at, path.end(), line);
    if (at == path.end()) return false;
    ++at;
  }
  return true;
}

}  // namespace

TEST_CASE("a call that waits by its name waits for what ended last in it") {
  const SmallStep small(R"(
      1       0     2000  user_annotation  ProfilerStep#1
      1       10    20    cpu_op           PjitFunction(step)
      1       15    10    cuda_runtime     cudaLaunchKernel        correlation=1
      gpu0/7  25    1275  kernel           gemm                    correlation=1
      1       40    1700  python_function  "$array.py:293 __float__"
      1       50    1650  python_function  "$array.py:629 _value"
  )");
  CHECK(goes_by(small.path(), {"kernel gemm 1275", "sync_return $array.py:629 _value 400",
                               "cpu_python $array.py:293 __float__ 40", "cpu_untraced ProfilerStep#1 260"}));
}

TEST_CASE("a helper launches the copy that the call waits for once the device has come that far") {
  const SmallStep small(R"(
      1       0     2000  user_annotation  ProfilerStep#1
      1       10    20    cpu_op           "PjRtLoadedExecutable::Execute"
      1       15    10    cuda_runtime     cuGraphLaunch           correlation=1
      gpu0/7  25    1275  kernel           gemm                    correlation=1
      1       40    1700  python_function  "$array.py:629 _value"
      1       50    10    cpu_op           "CommonPjRtBuffer::ToLiteral"
      2       1500  30    cpu_op           "D2H Dispatch"
      2       1540  20    cuda_runtime     MemcpyD2H               correlation=2
      gpu0/9  1570  5     gpu_memcpy       MemcpyD2H               correlation=2
  )");
  CHECK(goes_by(small.path(),
                {"kernel gemm 1275", "sync_return 200", "memory_copy D2H Dispatch 30", "memory_copy MemcpyD2H 5",
                 "sync_return $array.py:629 _value 165", "cpu_untraced ProfilerStep#1 260"}));
}

namespace {

// A step in which a thread launches 1,275 us of work and then is in a frame that says nothing, until `end`.
Lines silence_until(int end, const std::string& runtime = "PjRtLoadedExecutable::Execute") {
  return SmallStep(
             "1       0     9000  user_annotation  ProfilerStep#1\n"
             "1       10    20    cpu_op           " +
             runtime +
             "\n"
             "1       15    10    cuda_runtime     cuGraphLaunch    correlation=1\n"
             "gpu0/7  25    1275  kernel           gemm             correlation=1\n"
             "1       40    " +
             std::to_string(end - 40) + "  python_function  \"$train.py:30 step\"\n")
      .path();
}

}  // namespace

TEST_CASE("in a profile of XLA's runtime silence until the launched work has just ended is a wait") {
  CHECK(goes_by(silence_until(1800), {"kernel gemm 1275", "sync_return $train.py:30 step 500"}));
  // What goes on for longer computes, and so does what ends before the device has.
  CHECK(goes_by(silence_until(1950), {"cpu_python $train.py:30 step 1910"}));
  CHECK(goes_by(silence_until(1100), {"cpu_python $train.py:30 step 1060"}));
  // PyTorch's waits are calls into the runtime, which are recorded.
  CHECK(goes_by(silence_until(1800, "aten::mm"), {"cpu_python $train.py:30 step 1760"}));
}

TEST_CASE("what XLA's helper moves for a copy is the copy's, and silence until the copy has ended waits for it") {
  const auto put = [](int end) {
    return SmallStep(
               "1       0     9000  user_annotation  ProfilerStep#1\n"
               "1       10    20    cpu_op           PjRtClient::BufferFromHostBuffer\n"
               "2       25    1000  cpu_op           \"H2D Dispatch\"\n"
               "2       1060  20    cuda_runtime     MemcpyH2D        correlation=1\n"
               "gpu0/7  1075  550   gpu_memcpy       MemcpyH2D        correlation=1\n"
               "1       " +
               std::to_string(end) + "  10  cpu_op  \"Wait for usage holds\"\n")
        .path();
  };
  CHECK(goes_by(put(1700),
                {"memory_copy H2D Dispatch 1000", "memory_copy MemcpyH2D 550", "sync_return ProfilerStep#1 75"}));
  CHECK(goes_by(put(2600), {"cpu_untraced ProfilerStep#1 2570"}));  // what goes on for long computes
}

TEST_CASE("a program waits for arguments that a helper of XLA's runtime brings to the device") {
  const auto execute = [](int end) {
    return SmallStep(
        "1       0     9000  user_annotation  ProfilerStep#1\n"
        "1       10    20    cpu_op           PjRtClient::BufferFromHostBuffer\n"
        "2       35    1000  cpu_op           \"H2D Dispatch\"\n"
        "1       50    " +
        std::to_string(end - 50) + "  cpu_op  PjRtLoadedExecutable::Execute\n");
  };
  CHECK(goes_by(execute(1100).path(), {"memory_copy H2D Dispatch 1000", "handoff PjRtLoadedExecutable::Execute 65"}));
  CHECK(goes_by(execute(1300).path(), {"cpu_operator PjRtLoadedExecutable::Execute 1250"}));
}

TEST_CASE("work that begins as the work before it on its stream ends waited for that") {
  const SmallStep small(R"(
      1       0     1000  user_annotation  ProfilerStep#1
      1       10    10    cuda_runtime     cudaLaunchKernel       correlation=1
      1       20    10    cuda_runtime     cudaLaunchKernel       correlation=2
      gpu0/7  30    300   kernel           first                  correlation=1
      gpu0/7  320   500   kernel           second                 correlation=2
      1       40    790   cuda_runtime     cudaDeviceSynchronize
  )");
  CHECK(goes_by(small.path(), {"kernel first 290", "kernel second 500"}));
}

TEST_CASE("the condition of a loop is waited for where its copy to the host ends") {
  const auto loop = [](const std::string& copy) {
    return SmallStep(
               "1       0     500   user_annotation  ProfilerStep#1\n"
               "1       10    180   cpu_op           PjRtLoadedExecutable::Execute\n"
               "1       12    170   cpu_op           \"[iter=1]\"\n"
               "1       15    10    cuda_runtime     cuLaunchKernel   correlation=1\n"
               "1       30    10    cuda_runtime     " +
               copy +
               "        correlation=2\n"
               "gpu0/7  25    100   kernel           body             correlation=1\n"
               "gpu0/7  130   2     gpu_memcpy       " +
               copy + "        correlation=2\n")
        .path();
  };
  const Lines to_host = loop("MemcpyD2H");
  CHECK(std::find(to_host.begin(), to_host.end(), "sync_return [iter=1] 50") != to_host.end());
  const Lines on_device = loop("MemcpyD2D");
  CHECK(std::find(on_device.begin(), on_device.end(), "cpu_operator [iter=1] 142") != on_device.end());
}

TEST_CASE("a launch call that waits for room in its stream waits for the work whose end makes room") {
  // A launch every 10 us, work of 1 ms each, a stream with room for 1,000: once it is full, a call lasts until the next
  // work has ended.
  const auto held = [](int launches) {
    std::string lines = "1 0 2000000 user_annotation ProfilerStep#1\n";
    int now = 0, ended = 20;
    for (int i = 0; i < launches; ++i) {
      const int entered = now;
      const int free_at = i >= 1000 ? 20 + (i - 1000 + 1) * 1000 : 0;
      now = std::max(entered + 8, free_at + 5);
      const std::string correlation = " correlation=" + std::to_string(i + 1) + "\n";
      lines += "1 " + std::to_string(entered) + " " + std::to_string(now - entered) + " cuda_runtime cudaLaunchKernel" +
               correlation;
      lines += "gpu0/7 " + std::to_string(ended) + " 1000 kernel gemm" + correlation;
      ended += 1000, now += 2;
    }
    const SmallTrace small(lines);
    Diagnostics diagnostics;
    const trace::ContentOrder content(small.trace(), small.rank());
    const DeviceTimeline timeline = make_device_timeline(small.trace(), small.rank(), content, diagnostics);
    const Result<StepWindow> window = choose_window(small.trace(), small.rank(), timeline, content, {});
    REQUIRE(window);
    const auto lanes = make_host_lanes(small.trace(), small.rank(), *window, content);
    return find_silent_waits(small.trace(), small.rank(), timeline, lanes).size();
  };
  CHECK(held(1010) == 0);
  CHECK(held(1050) == 40);
}

TEST_CASE("a device whose launches were not recorded, and launches whose work was not") {
  const SmallStep reached(R"(
      1       0     100  cpu_op        aten::mm
      1       10    5    cuda_runtime  cudaLaunchKernel  correlation=1
      gpu0/7  20    50   kernel        gemm              correlation=1
  )",
                          whole());
  CHECK(std::string(reached.step.reach.identifier()) == "complete");
  const SmallStep unreached(R"(
      1       0     100  cpu_op        aten::mm
      gpu0/7  20    50   kernel        gemm
      gpu0/8  40    50   kernel        gemm
  )",
                            whole());
  CHECK(std::string(unreached.step.reach.identifier()) == "no_launches");
  CHECK(unreached.step.reach.busy == 70 * kPsPerUs);
  CHECK(unreached.step.reach.worked == 100 * kPsPerUs);
  const SmallStep missing(R"(
      1       0     100  cpu_op        aten::mm
      1       10    5    cuda_runtime  cudaLaunchKernel    correlation=1
      1       20    5    cuda_runtime  cudaLaunchHostFunc  correlation=2
  )",
                          whole());
  CHECK(std::string(missing.step.reach.identifier()) == "no_device_work");
  CHECK(missing.step.reach.launches == 1);
  const SmallStep host(R"(
      1       0     100  cpu_op        aten::mm
  )",
                       whole());
  CHECK(std::string(host.step.reach.identifier()) == "complete");
}

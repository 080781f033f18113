#include "causal/step_window.h"

#include <doctest/doctest.h>

#include "step_path_text.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;
using orrery::testing::Action;
using orrery::testing::programs;
using orrery::testing::simulate;
using orrery::testing::SimulatedJob;

namespace {

Result<StepWindow> window_of(const SmallTrace& small, const WindowRequest& request) {
  Diagnostics diagnostics;
  const trace::ContentOrder content(small.trace(), small.rank());
  return choose_window(small.trace(), small.rank(),
                       make_device_timeline(small.trace(), small.rank(), content, diagnostics), content, request);
}

constexpr const char* kFiveSteps = R"(
    1  0    500  user_annotation  ProfilerStep#1
    1  500  100  user_annotation  ProfilerStep#2
    1  600  130  user_annotation  ProfilerStep#3
    1  730  120  user_annotation  ProfilerStep#4
    1  850  900  user_annotation  ProfilerStep#5
)";

}  // namespace

TEST_CASE("a typical step: the median of the inner ones") {
  const SmallTrace small(kFiveSteps);
  const auto window = window_of(small, {});
  REQUIRE(window.ok());
  CHECK(window->label == "ProfilerStep#4");
  CHECK(window->why == "the median of 3 inner steps");
}

TEST_CASE("of two steps, the shorter; of one, that one") {
  const SmallTrace two(R"(
      1  0    500  user_annotation  ProfilerStep#1
      1  500  100  user_annotation  ProfilerStep#2
  )");
  CHECK(window_of(two, {})->label == "ProfilerStep#2");
  CHECK(window_of(two, {})->why == "the median of 2 steps");
  const SmallTrace one("1 0 500 user_annotation ProfilerStep#7");
  CHECK(window_of(one, {})->label == "ProfilerStep#7");
  CHECK(window_of(one, {})->why == "the only step");
}

TEST_CASE("steps projected onto the device are not steps of the host") {
  const SmallTrace small(R"(
      1       0   100  user_annotation      ProfilerStep#1
      gpu0/7  50  100  gpu_user_annotation  ProfilerStep#1
  )");
  CHECK(find_steps(small.trace(), small.rank(), trace::ContentOrder(small.trace(), small.rank())).size() == 1);
}

TEST_CASE("steps of an engine, where the profiler marked none: a typical one of the most frequent sort") {
  const SmallTrace small(R"(
      1       0    900  user_annotation      "step[EXTEND bs=2 toks=900]"
      1       900  100  user_annotation      "step[DECODE bs=8]"
      1       1000 130  user_annotation      "step[DECODE bs=8]"
      1       1130 120  user_annotation      "step[DECODE bs=8]"
      1       1250 10   user_annotation      "step[DECODE bs=4]"
      1       1260 10   user_annotation      "step[DECODE bs=4]"
      gpu0/7  1260 10   gpu_user_annotation  "step[DECODE bs=4]"
  )");
  const trace::ContentOrder content(small.trace(), small.rank());
  CHECK(find_steps(small.trace(), small.rank(), content).size() == 6);
  const auto window = window_of(small, {});
  REQUIRE(window.ok());
  CHECK(window->label == "step[DECODE bs=8]");
  CHECK(window->begin == 1000 * kPsPerUs);
  CHECK(window->why == "the inner one of 3 decode steps with 8 requests");
  CHECK(window_of(small, {.annotation = {}, .first_instance = 5, .last_instance = 5})->host_begin == 1260 * kPsPerUs);
  CHECK(window_of(small, whole())->steps.size() == 6);
}

TEST_CASE("of an engine's nested steps the outermost counts, thread by thread; the profiler's come before them") {
  const SmallTrace small(R"~(
      1  0    100  user_annotation  "step[DECODE bs=8]"
      1  0    120  user_annotation  "execute_context_0(0)_generation_8(8)"
      1  10   20   user_annotation  "step[DECODE bs=8]"
      2  10   20   user_annotation  "step[DECODE bs=8]"
      1  120  20   user_annotation  "step[DECODE bs=8]"
  )~");
  const trace::ContentOrder content(small.trace(), small.rank());
  const std::vector<trace::EventIndex> steps = find_steps(small.trace(), small.rank(), content);
  REQUIRE(steps.size() == 3);
  CHECK(small.rank().duration[steps[0]] == 120 * kPsPerUs);
  CHECK(small.rank().start[steps[2]] == 120 * kPsPerUs);
  const SmallTrace both(R"(
      1  0  100  user_annotation  ProfilerStep#3
      1  5  50   user_annotation  "step[DECODE bs=8]"
  )");
  CHECK(window_of(both, {})->label == "ProfilerStep#3");
  CHECK(window_of(both, {})->why == "the only step");
}

TEST_CASE("any event of the host whose name contains the text") {
  const SmallTrace small(R"(
      1  0    50  user_annotation  "## forward ##"
      1  60   10  cpu_op           aten::forward_thing
      1  100  50  user_annotation  "## forward ##"
      1  90   0   user_annotation  "## forward ##"
  )");
  CHECK(window_of(small, instance_of("forward", 0))->begin == 0);
  CHECK(window_of(small, instance_of("forward", 1))->label == "aten::forward_thing");
  CHECK(window_of(small, instance_of("## forward", 1))->host_begin == 100 * kPsPerUs);
  const auto both = window_of(small, {.annotation = "forward", .first_instance = 0, .last_instance = 2});
  CHECK(both->label == "## forward ## to ## forward ##");
  CHECK(both->span() == 150 * kPsPerUs);
}

TEST_CASE("what does not exist is refused with a hint") {
  const SmallTrace small(kFiveSteps);
  const auto unknown = window_of(small, instance_of("Backward", 0));
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().message == "no host event's name contains \"Backward\"");
  CHECK(unknown.error().hint == "see the annotations with: orrery info");
  const auto beyond = window_of(small, instance_of("ProfilerStep", 5));
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.error().message == "there are 5 matching events; instance 5 does not exist");
  const auto range = window_of(small, {.annotation = "ProfilerStep", .first_instance = 3, .last_instance = 9});
  REQUIRE_FALSE(range.ok());
  CHECK(range.error().message == "there are 5 matching events; instance 9 does not exist");
  const SmallTrace without("1 0 5 cpu_op aten::mm");
  CHECK_FALSE(window_of(without, {.annotation = {}, .first_instance = 0, .last_instance = 0}).ok());
}

TEST_CASE(
    "a step whose host runs ahead begins where the device finishes the step before, and ends where it finishes this "
    "one") {
  const SmallTrace small(R"(
      1       0    50   user_annotation  ProfilerStep#1
      1       10   5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  20   200  kernel           gemm              correlation=1
      1       50   50   user_annotation  ProfilerStep#2
      1       60   5    cuda_runtime     cudaLaunchKernel  correlation=2
      gpu0/7  221  200  kernel           gemm              correlation=2
      1       100  50   user_annotation  ProfilerStep#3
      1       110  5    cuda_runtime     cudaLaunchKernel  correlation=3
      gpu0/7  422  200  kernel           gemm              correlation=3
  )");
  const auto us = [](TimePs begin, TimePs end) { return std::pair(begin * kPsPerUs, end * kPsPerUs); };
  const auto extent = [&](std::size_t i) {
    const auto window = window_of(small, instance_of("ProfilerStep", i));
    return std::pair(window->begin, window->end);
  };
  CHECK(extent(0) == us(0, 220));
  CHECK(extent(1) == us(220, 421));
  CHECK(extent(2) == us(421, 622));
  // The host is far ahead: all that is left of the step is the device.
  CHECK(SmallStep(small, instance_of("ProfilerStep", 1)).path() == Lines{"kernel_gap gemm 1", "kernel gemm 200"});
}

TEST_CASE("work that is launched where two steps meet belongs to the second") {
  const SmallTrace small(R"(
      1       0    50   user_annotation  ProfilerStep#1
      1       50   50   user_annotation  ProfilerStep#2
      1       50   5    cuda_runtime     cudaLaunchKernel  correlation=1
      gpu0/7  60   200  kernel           gemm              correlation=1
  )");
  CHECK(window_of(small, instance_of("ProfilerStep", 0))->span() == 50 * kPsPerUs);
  CHECK(window_of(small, instance_of("ProfilerStep", 1))->span() == 210 * kPsPerUs);
}

TEST_CASE("windows of consecutive steps neither overlap nor leave gaps") {
  CHECK(rc::check([] {
    // Every step launches something, onto one stream: what is launched later ends later.
    std::vector<Action> actions;
    for (int step = *rc::gen::inRange(1, 8); step > 0; --step) {
      actions.push_back({Action::next_step});
      actions.push_back({Action::launch, 0, 0, 0, *rc::gen::inRange<std::int64_t>(1, 100) * 1000});
      const auto more = *programs(1, 1, 1, {Action::op, Action::launch, Action::stream_sync, Action::blocking_copy});
      actions.insert(actions.end(), more.begin(), more.end());
    }
    const SimulatedJob job = simulate(actions);
    const SmallTrace small(job.lines);
    for (std::size_t i = 1; i < static_cast<std::size_t>(job.steps); ++i) {
      RC_ASSERT(window_of(small, instance_of("ProfilerStep", i - 1))->end ==
                window_of(small, instance_of("ProfilerStep", i))->begin);
    }
  }));
}

TEST_CASE("work without a recorded launch belongs to the step in which it starts") {
  const SmallTrace small(R"(
      1       0    50   user_annotation  ProfilerStep#1
      1       50   50   user_annotation  ProfilerStep#2
      gpu0/7  30   40   kernel           first
      gpu0/7  75   60   kernel           second
  )");
  CHECK(window_of(small, instance_of("ProfilerStep", 0))->end == 70 * kPsPerUs);
  CHECK(window_of(small, instance_of("ProfilerStep", 1))->begin == 70 * kPsPerUs);
  CHECK(window_of(small, instance_of("ProfilerStep", 1))->end == 135 * kPsPerUs);
}

TEST_CASE("the whole trace spans host and device, without Python frames of threads that wait for ever") {
  const SmallTrace small(R"(
      1       100   50      cpu_op           aten::mm
      2       0     100000  python_function  threading.py
      2       120   10      cpu_op           aten::add
      gpu0/7  150   80      kernel           gemm
  )");
  const auto window = window_of(small, whole());
  CHECK(window->begin == 100 * kPsPerUs);
  CHECK(window->end == 230 * kPsPerUs);
}

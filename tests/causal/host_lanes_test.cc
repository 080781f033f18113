// A lane of segments keeps 12 bytes of each: what is asked of it is held against the segments written out.
#include "causal/host/host_lanes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/random.h"
#include "step_path_text.h"

using namespace orrery;
using namespace orrery::causal;
using namespace orrery::causal::testing;

namespace {

struct Random {
  std::uint64_t state;
  std::uint64_t below(std::uint64_t limit) { return next_random(state) % limit; }
};

std::vector<Segment> random_segments(Random& random, std::size_t count, bool with_loaders) {
  std::vector<Segment> segments;
  auto now = static_cast<TimePs>(random.below(1000));
  for (std::size_t i = 0; i < count; ++i) {
    const TimePs end = now + 1 + static_cast<TimePs>(random.below(20));
    const trace::EventIndex top = random.below(3) == 0 ? kNoEvent : static_cast<trace::EventIndex>(random.below(1000));
    segments.push_back({now, end, top, with_loaders && random.below(4) == 0});
    now = end;
  }
  return segments;
}

HostLane lane_of(const std::vector<Segment>& segments) {
  HostLane lane(3, true);
  lane.begin_at(segments.front().begin, segments.size());
  for (const Segment& segment : segments) lane.append(segment.end, segment.top, segment.loads_data);
  lane.finish();
  return lane;
}

TimePs busy_in(const std::vector<Segment>& segments, std::size_t first, std::size_t last) {
  TimePs busy = 0;
  for (std::size_t s = first; s < last; ++s)
    busy += segments[s].top == kNoEvent ? 0 : segments[s].end - segments[s].begin;
  return busy;
}

}  // namespace

TEST_CASE("a lane says of its segments what they are") {
  rc::check([](std::uint64_t seed, bool with_loaders) {
    Random random{seed};
    const std::vector<Segment> segments = random_segments(random, 1 + random.below(300), with_loaders);
    const HostLane lane = lane_of(segments);
    RC_ASSERT(lane.segment_count() == segments.size());
    RC_ASSERT(lane.begin() == segments.front().begin);
    RC_ASSERT(lane.end() == segments.back().end);
    for (std::uint32_t s = 0; s < segments.size(); ++s) {
      const Segment segment = lane.segment(s);
      RC_ASSERT(segment.begin == segments[s].begin);
      RC_ASSERT(segment.end == segments[s].end);
      RC_ASSERT(segment.top == segments[s].top);
      RC_ASSERT(segment.loads_data == segments[s].loads_data);
    }
  });
}

TEST_CASE("boundaries are found by time") {
  rc::check([](std::uint64_t seed) {
    Random random{seed};
    const std::vector<Segment> segments = random_segments(random, 1 + random.below(100), false);
    const HostLane lane = lane_of(segments);
    for (TimePs time = lane.begin(); time <= lane.end(); ++time) {
      std::uint32_t until = 0, from = 0;
      while (until < segments.size() && segments[until].end <= time) ++until;
      while (from < segments.size() && segments[from].begin < time) ++from;
      RC_ASSERT(lane.last_boundary_until(time) == until);
      RC_ASSERT(lane.first_boundary_from(time) == from);
      RC_ASSERT(lane.boundary_at(time) == (until == from ? until : kNoWork));
    }
    RC_ASSERT(lane.boundary_at(lane.begin() - 1) == kNoWork);
    RC_ASSERT(lane.boundary_at(lane.end() + 1) == kNoWork);
  });
}

TEST_CASE("recorded time between boundaries is that of the segments between") {
  rc::check([](std::uint64_t seed) {
    Random random{seed};
    const std::vector<Segment> segments =
        random_segments(random, 1 + random.below(300), false);  // several blocks of sums
    const HostLane lane = lane_of(segments);
    for (int i = 0; i < 50; ++i) {
      const auto first = static_cast<std::uint32_t>(random.below(segments.size() + 1)),
                 last = static_cast<std::uint32_t>(random.below(segments.size() + 1));
      RC_ASSERT(lane.busy_between(first, last) == busy_in(segments, first, last));
    }
    RC_ASSERT(lane.busy_between(0, lane.segment_count()) == busy_in(segments, 0, segments.size()));
  });
}

TEST_CASE("a Python frame that was never closed ends with the frame in which it began") {
  // The recorder missed the return of __exit__ and closed it with the recording. The thread was idle from 50 to 80.
  const SmallStep step(R"(
      1  0   100  user_annotation  ProfilerStep#1
      1  10  80   python_function  run_backward
      1  0   10   cpu_op           aten::mm
      2  20  25   cpu_op           CompiledFunctionBackward
      2  22  23   python_function  "function.py(302): apply"
      2  40  60   python_function  "<built-in method __exit__ of pybind11>"
      2  50  30   cpu_op           aten::add
      1  90  10   cpu_op           aten::mul
  )");
  CHECK(has_edge(step.step, "cpu_python <built-in method __exit__ of pybind11> 5"));
  CHECK_FALSE(has_edge(step.step, "cpu_python <built-in method __exit__ of pybind11> 20"));
}

TEST_CASE("a frame that was left before the window is not open in it") {
  const SmallStep step(R"(
      1  0    90   user_annotation  ProfilerStep#1
      1  100  100  user_annotation  ProfilerStep#2
      1  100  10   cpu_op           aten::mm
      1  180  20   cpu_op           aten::mul
      2  20   25   python_function  "function.py(302): apply"
      2  40   160  python_function  "<built-in method __exit__ of pybind11>"
      2  120  50   cpu_op           aten::add
  )",
                       instance_of("ProfilerStep", 1));
  CHECK(step.path() == Lines{"cpu_operator aten::mm 10", "handoff ProfilerStep#2 10", "cpu_operator aten::add 50",
                             "handoff ProfilerStep#2 10", "cpu_operator aten::mul 20"});
}

TEST_CASE("frames in which a thread waits for something to do") {
  for (const char* name : {"<built-in method acquire of _thread.lock object at 0x7fa8291de740>",
                           "<built-in method get of _queue.SimpleQueue object at 0x7f>",
                           "<built-in method poll of select.poll object at 0x7f>", "<built-in function select>",
                           "$<unknown> acquire", "$<unknown> get"})
    CHECK(is_waiting_frame(name));
  for (const char* name : {"<built-in method get of dict object at 0x7fa8290671c0>",
                           "<built-in method run_backward of torch._C._EngineBase object at 0x7f>",
                           "threading.py(323): wait", "$threading.py:323 wait", "$<unknown> append", "aten::add", ""})
    CHECK_FALSE(is_waiting_frame(name));
}

TEST_CASE(
    "a thread that is joined has done nothing before it was there, whatever frames XLA's recorder lets begin with the "
    "recording") {
  const SmallStep step(R"(
      1  0    1000  user_annotation  ProfilerStep#1
      1  100  800   python_function  "$<unknown> acquire"
      2  0    890   python_function  "$threading.py:1016 _bootstrap"
      2  0    300   python_function  "$sys setprofile"
      2  300  580   cpu_op           PjitFunction
  )");
  CHECK(step.path() == Lines{"cpu_untraced ProfilerStep#1 100", "handoff $<unknown> acquire 200",
                             "cpu_operator PjitFunction 580", "cpu_python $threading.py:1016 _bootstrap 10",
                             "handoff $<unknown> acquire 10", "cpu_untraced ProfilerStep#1 100"});
}

TEST_CASE("a pool's thread that waits for its next job does nothing, whatever frames it is in") {
  const SmallStep step(R"(
      1  0    10   cpu_op           aten::mm
      1  0    1000 user_annotation  ProfilerStep#1
      1  10   980  python_function  "<built-in method acquire of _thread.lock object at 0x7f>"
      2  0    1000 python_function  "concurrent/futures/thread.py(89): _worker"
      2  0    60   python_function  "<built-in method get of _queue.SimpleQueue object at 0x7f>"
      2  65   900  cpu_op           aten::bmm
      2  970  30   python_function  "<built-in method get of _queue.SimpleQueue object at 0x7f>"
  )");
  CHECK(has_edge(step.step, "cpu_operator aten::bmm 900"));
  const Lines path = step.path();
  CHECK(std::find(path.begin(), path.end(), "cpu_operator aten::bmm 900") != path.end());
}

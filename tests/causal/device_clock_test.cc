#include "causal/device/device_clock.h"

#include <doctest/doctest.h>

namespace orrery::causal {
namespace {

struct Sampled {
  trace::Trace trace;
  DeviceTimeline timeline;
  StepWindow window;

  Sampled() {
    trace.ranks.emplace_back();
    timeline.queues = {{.device = 0, .stream = 7}, {.device = 1, .stream = 7}};
    window.is_whole_trace = true;
  }
  void add_work(std::uint32_t queue, TimePs start, TimePs end) {
    timeline.works.push_back({.event = 0,
                              .queue = queue,
                              .start = start,
                              .end = end,
                              .call_start = start,
                              .call_end = start,
                              .call = kNoEvent});
  }
  void add_sample(std::string_view name, std::int64_t device, TimePs time, double value) {
    trace.ranks[0].counters.push(device, trace.strings.intern(name), 0, time, value);
  }
  [[nodiscard]] DeviceClock clock() const { return find_device_clock(trace, trace.ranks[0], timeline, window); }
};

}  // namespace

TEST_CASE("a clock holds until the next sample, and counts while its device works") {
  Sampled of;
  of.add_work(0, 100, 200);
  of.add_work(0, 300, 400);
  of.add_sample("clocks.current.sm", 0, 150, 1000);  // before it nothing is known
  of.add_sample("clocks.current.sm", 0, 350, 500);   // samples come in any order
  of.add_sample("clocks.current.sm", 0, 250, 800);
  of.add_sample("clocks.current.sm", 1, 0, 1);  // of a device that does nothing
  of.add_sample("power.draw", 0, 0, 700);
  CHECK(of.clock().known_ps == 150);
  CHECK(of.clock().mhz() == doctest::Approx((50 * 1000 + 50 * 800 + 50 * 500) / 150.0));
  CHECK(of.clock().reasons == 0);
}

TEST_CASE("reasons count from the first to the last work") {
  Sampled of;
  of.add_work(1, 100, 200);
  of.add_sample("clocks.sm", 1, 0, 900);
  of.add_sample("clocks_event_reasons.active", 1, 50, 0x80);
  of.add_sample("clocks_event_reasons.active", 1, 100, 0x5);
  of.add_sample("clocks_event_reasons.active", 1, 199, 0x20);
  of.add_sample("clocks_event_reasons.active", 1, 200, 0x8);
  CHECK(of.clock().reasons == 0x25);
  CHECK(reasons_in_words(of.clock().reasons) ==
        std::vector<std::string>{"software power cap", "software thermal slowdown"});
}

TEST_CASE("without a counter of the clock nothing is known") {
  Sampled of;
  of.add_work(0, 100, 200);
  of.add_sample("power.draw", 0, 0, 700);
  CHECK_FALSE(of.clock().is_known());
  CHECK(of.clock().mhz() == 0);
}

}  // namespace orrery::causal

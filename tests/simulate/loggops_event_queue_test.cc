#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>
#include <utility>

#include "simulate/loggops/event_queue.h"

using namespace orrery;
using simulate::loggops::Event;
using simulate::loggops::EventQueue;

TEST_CASE("events come by time, then by order, whatever was pushed when") {
  CHECK(rc::check([] {
    const int spread = *rc::gen::element(1, 5, 100'000);  // times that meet, and more times than buckets can be open
    EventQueue queue;
    std::set<std::pair<TimePs, std::uint64_t>> expected;
    Event event(0, Event::Kind::start, 0);
    for (int n = 0; n < 600; ++n) {
      if (*rc::gen::inRange(0, 3) != 0) {
        const TimePs time = queue.now() + *rc::gen::inRange(0, spread);
        const auto order = *rc::gen::inRange<std::uint64_t>(0, 100'000);
        if (!expected.insert({time, order}).second) continue;
        queue.push(time, {order, Event::Kind::retry_arrive, static_cast<std::uint32_t>(order)});
      } else if (queue.pop(event)) {
        RC_ASSERT(std::pair(queue.now(), event.order()) == *expected.begin());
        RC_ASSERT(event.operation == event.order());
        RC_ASSERT(event.kind() == Event::Kind::retry_arrive);
        expected.erase(expected.begin());
      } else {
        RC_ASSERT(expected.empty());
      }
    }
    while (queue.pop(event)) {
      RC_ASSERT(std::pair(queue.now(), event.order()) == *expected.begin());
      expected.erase(expected.begin());
    }
    RC_ASSERT(expected.empty());
  }));
}

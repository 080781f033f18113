#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <tuple>

#include "simulate/engine/event_queue.h"

namespace orrery::simulate {
namespace {

auto key(const Event& event) { return std::tuple(event.time, event.rank, event.activity); }

}  // namespace

TEST_CASE("an empty queue has no next time") {
  EventQueue queue;
  CHECK(queue.empty());
  CHECK(queue.next_time() == kNever);
  std::vector<Event> events;
  queue.take(events);
  CHECK(events.empty());
}

TEST_CASE("events come out by time, rank and activity, however they were pushed, also between takes") {
  CHECK(rc::check([] {
    EventQueue queue;
    std::vector<Event> waiting;
    TimePs now = 0;
    std::uint32_t pushed = 0;
    const auto rounds = *rc::gen::inRange(1, 60);
    for (int round = 0; round < rounds; ++round) {
      const auto count = *rc::gen::inRange(0, 6);
      const TimePs range = TimePs{1} << *rc::gen::inRange(1, 60);
      for (int i = 0; i < count; ++i) {
        const Event event{now + *rc::gen::inRange<TimePs>(0, range), *rc::gen::inRange<std::uint32_t>(0, 4), pushed++};
        if (event.time < 0 || event.time >= TimePs{1} << 61) continue;
        queue.push(event);
        waiting.push_back(event);
      }
      std::sort(waiting.begin(), waiting.end(), [](const Event& a, const Event& b) { return key(a) < key(b); });
      RC_ASSERT(queue.next_time() == (waiting.empty() ? kNever : waiting.front().time));
      if (waiting.empty() || *rc::gen::inRange(0, 3) == 0) continue;
      now = queue.next_time();
      std::vector<Event> taken;
      queue.take(taken);
      RC_ASSERT(taken.size() <= waiting.size());
      for (std::size_t i = 0; i < taken.size(); ++i) RC_ASSERT(key(taken[i]) == key(waiting[i]));
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(taken.size()));
      RC_ASSERT(waiting.empty() || waiting.front().time > now);
    }
  }));
}

}  // namespace orrery::simulate

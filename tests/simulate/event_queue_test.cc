#include "simulate/event_queue.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace orrery::simulate {
namespace {

struct Named {
  std::uint32_t rank = 0;
  std::uint64_t activity = 0;

  [[nodiscard]] bool is_before(const Named& other) const {
    return std::tuple(rank, activity) < std::tuple(other.rank, other.activity);
  }
};

struct Unnamed {
  std::uint64_t number = 0;
};

struct Due {
  TimePs time = 0;
  Named event;

  friend bool operator<(const Due& a, const Due& b) {
    return std::tuple(a.time, a.event.rank, a.event.activity) < std::tuple(b.time, b.event.rank, b.event.activity);
  }
};

/// Pushes and pops at random, beside a set of pairs of time and order; `next_event` makes what is pushed.
template <typename Event, typename OrderOf, typename NextEvent>
void check_one_by_one(const OrderOf& order_of, const NextEvent& next_event) {
  const int spread = *rc::gen::element(1, 5, 100'000);  // times that meet, and times that differ
  EventQueue<Event> queue;
  std::set<std::pair<TimePs, std::uint64_t>> expected;
  const auto pop = [&] {
    const Event event = queue.pop();
    RC_ASSERT(std::pair(queue.now(), order_of(event)) == *expected.begin());
    expected.erase(expected.begin());
  };
  for (int n = 0; n < 600; ++n) {
    if (*rc::gen::inRange(0, 3) != 0) {
      const TimePs time = queue.now() + *rc::gen::inRange(0, spread);
      const Event event = next_event();
      if (expected.insert({time, order_of(event)}).second) queue.push(time, event);
    } else {
      RC_ASSERT(queue.empty() == expected.empty());
      if (!queue.empty()) pop();
    }
  }
  while (!queue.empty()) pop();
  RC_ASSERT(expected.empty());
}

}  // namespace

TEST_CASE("an empty queue has no next time") {
  MomentQueue<Named> queue;
  CHECK(queue.empty());
  CHECK(queue.next_time() == kNever);
  std::vector<Named> events;
  queue.take(events);
  CHECK(events.empty());
}

TEST_CASE("moments come by time, and their events by rank and activity, however they were pushed") {
  CHECK(rc::check([] {
    MomentQueue<Named> queue;
    std::vector<Due> waiting;
    TimePs now = 0;
    std::uint32_t pushed = 0;
    const auto rounds = *rc::gen::inRange(1, 60);
    for (int round = 0; round < rounds; ++round) {
      const auto count = *rc::gen::inRange(0, 6);
      const TimePs range = TimePs{1} << *rc::gen::inRange(1, 60);
      for (int i = 0; i < count; ++i) {
        const TimePs time = now + *rc::gen::inRange<TimePs>(0, range);
        const Named event{*rc::gen::inRange<std::uint32_t>(0, 4), pushed++};
        if (time < 0 || time >= TimePs{1} << 61) continue;
        queue.push(time, event);
        waiting.push_back({time, event});
      }
      std::sort(waiting.begin(), waiting.end());
      RC_ASSERT(queue.next_time() == (waiting.empty() ? kNever : waiting.front().time));
      if (waiting.empty() || *rc::gen::inRange(0, 3) == 0) continue;
      now = queue.next_time();
      std::vector<Named> taken;
      queue.take(taken);
      RC_ASSERT(taken.size() <= waiting.size());
      for (std::size_t i = 0; i < taken.size(); ++i) {
        RC_ASSERT(waiting[i].time == now);
        RC_ASSERT(taken[i].activity == waiting[i].event.activity);
      }
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(taken.size()));
      RC_ASSERT(waiting.empty() || waiting.front().time > now);
    }
  }));
}

TEST_CASE("one by one, events with an order come by time, then by order, whatever was pushed when") {
  CHECK(rc::check([] {
    check_one_by_one<Named>([](const Named& event) { return event.activity; },
                            [] {
                              return Named{0, *rc::gen::inRange<std::uint64_t>(0, 100'000)};
                            });
  }));
}

TEST_CASE("one by one, events without an order come by time, then in the order in which they were pushed") {
  CHECK(rc::check([] {
    std::uint64_t pushed = 0;
    check_one_by_one<Unnamed>([](const Unnamed& event) { return event.number; }, [&] { return Unnamed{pushed++}; });
  }));
}

}  // namespace orrery::simulate

#include "trace/nesting.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace {

using namespace orrery;
using namespace orrery::trace;

RankTrace rank_of(const std::vector<std::pair<TimePs, TimePs>>& events) {
  RankTrace rank;
  rank.lanes.resize(1);
  for (const auto& [start, duration] : events) rank.append_event({.start = start, .duration = duration});
  return rank;
}

TEST_CASE("an event lies in the innermost that is around it") {
  const Nesting nesting = nest_events(rank_of({{0, 10}, {2, 3}, {2, 8}, {5, 0}, {10, 2}}));
  CHECK(std::vector(nesting.parent.begin(), nesting.parent.end()) ==
        std::vector<EventIndex>{kNoParent, 2, 0, 2, kNoParent});
  CHECK(std::vector(nesting.depth.begin(), nesting.depth.end()) == std::vector<std::uint32_t>{0, 2, 1, 2, 0});
}

TEST_CASE("what overlaps is around nothing that ends after it") {
  const Nesting nesting = nest_events(rank_of({{0, 10}, {5, 10}, {8, 4}, {12, 2}}));
  CHECK(std::vector(nesting.parent.begin(), nesting.parent.end()) ==
        std::vector<EventIndex>{kNoParent, kNoParent, 1, 1});
}

TEST_CASE("events that overlap without nesting take no longer than others") {
  // Each begins before the one before it ends: a search through all that are open would take 10^11 looks.
  constexpr TimePs kEvents = 400'000;
  std::vector<std::pair<TimePs, TimePs>> stairs;
  for (TimePs e = 0; e < kEvents; ++e) stairs.emplace_back(e, kEvents);
  stairs.emplace_back(kEvents, 1);
  const Nesting nesting = nest_events(rank_of(stairs));
  CHECK(nesting.parent[kEvents - 1] == kNoParent);
  CHECK(nesting.parent[kEvents] == kEvents - 1);
  CHECK(nesting.depth[kEvents] == 1);
}

TEST_CASE("parents are around their children, and no other event is closer") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& drawn) {
    std::vector<std::pair<TimePs, TimePs>> events;
    for (const auto& [start, duration] : drawn) events.emplace_back(start % 32, duration % 12);
    const RankTrace rank = rank_of(events);
    const Nesting nesting = nest_events(rank);
    const LaneOrder order(rank);
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      // The last before it, in the order of lanes, that is around it.
      EventIndex want = kNoParent;
      for (const EventIndex other : order.of(0)) {
        if (other == e) break;
        if (rank.end(other) >= rank.end(e) && rank.end(other) > rank.start[e]) want = other;
      }
      RC_ASSERT(nesting.parent[e] == want);
      RC_ASSERT(nesting.depth[e] == (want == kNoParent ? 0u : nesting.depth[want] + 1));
    }
  }));
}

}  // namespace

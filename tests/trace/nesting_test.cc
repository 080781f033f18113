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
  CHECK(std::vector(nesting.parent.begin(), nesting.parent.end()) == std::vector<EventIndex>{kNoParent, 2, 0, 2, kNoParent});
  CHECK(std::vector(nesting.depth.begin(), nesting.depth.end()) == std::vector<std::uint32_t>{0, 2, 1, 2, 0});
}

TEST_CASE("what overlaps is around nothing that ends after it") {
  const Nesting nesting = nest_events(rank_of({{0, 10}, {5, 10}, {8, 4}, {12, 2}}));
  CHECK(std::vector(nesting.parent.begin(), nesting.parent.end()) == std::vector<EventIndex>{kNoParent, kNoParent, 1, 1});
}

TEST_CASE("parents are around their children, and no other event is closer") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& drawn) {
    std::vector<std::pair<TimePs, TimePs>> events;
    for (const auto& [start, duration] : drawn) events.emplace_back(start % 32, duration % 12);
    const RankTrace rank = rank_of(events);
    const Nesting nesting = nest_events(rank);
    for (EventIndex e = 0; e < rank.event_count(); ++e) {
      const EventIndex parent = nesting.parent[e];
      if (parent == kNoParent) {
        RC_ASSERT(nesting.depth[e] == 0u);
        continue;
      }
      RC_ASSERT(rank.start[parent] <= rank.start[e]);
      RC_ASSERT(rank.end(parent) >= rank.end(e));
      RC_ASSERT(rank.end(parent) > rank.start[e]);
      RC_ASSERT(nesting.depth[e] == nesting.depth[parent] + 1);
    }
  }));
}

}  // namespace

// Rows appended many at a time and one by one are the same rows.
#include "trace/lane_rows.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "trace/columns.h"

namespace orrery::trace {
namespace {

bool same_events(const RankTrace& a, const RankTrace& b) {
  bool same = true;
  for_each_event_column([&](const auto& column) {
    const auto& left = a.*column.values;
    const auto& right = b.*column.values;
    same = same && std::equal(left.begin(), left.end(), right.begin(), right.end());
  });
  return same;
}

TEST_CASE("rows of lanes are what append_event makes of them") {
  CHECK(rc::check([] {
    const bool positions = *rc::gen::arbitrary<bool>();
    // Also lanes without events, and with more than room is made for at a time.
    const auto lanes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::weightedOneOf<std::size_t>(
        {{9, rc::gen::inRange<std::size_t>(0, 5)}, {1, rc::gen::inRange<std::size_t>(4000, 10'000)}}));
    RankTrace one_by_one, at_once;
    std::uint32_t number = 0;
    for (LaneIndex lane = 0; lane < lanes.size(); ++lane) {
      LaneRows rows(at_once, lane, positions);
      RC_ASSERT(rows.empty());
      for (std::size_t i = 0; i < lanes[lane]; ++i, ++number) {
        const EventRow row{
            .start = number * 7, .duration = number % 3, .name = number % 5, .lane = lane, .category = 2};
        const SourcePosition position{number + 1, number * 20};
        RC_ASSERT(rows.make_room());
        const EventIndex put = rows.put(row.start, row.duration, row.name, row.category, position);
        RC_ASSERT(put == (positions ? one_by_one.append_event(row, position) : one_by_one.append_event(row)));
      }
      RC_ASSERT(rows.empty() == (lanes[lane] == 0));
    }
    RC_ASSERT(same_events(one_by_one, at_once));
  }));
}

}  // namespace
}  // namespace orrery::trace

#include "page/data/range_sets.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace orrery::page {
namespace {

TEST_CASE("a moment has the members of all ranges that hold it, each once") {
  SetTable table;
  RangeSets ranges;
  ranges.add(10, 20, 1);
  ranges.add(15, 30, 2);
  ranges.add(12, 18, 1);
  ranges.add(40, 40, 3);  // holds nothing
  ranges.close(table);
  const auto at = [&](TimePs moment) { return table.sets()[ranges.at(moment)]; };
  CHECK(at(9).empty());
  CHECK(at(10) == SetTable::Set{1});
  CHECK(at(17) == SetTable::Set{1, 2});
  CHECK(at(20) == SetTable::Set{2});  // an end is not in its range
  CHECK(at(30).empty());
  CHECK(at(40).empty());
}

TEST_CASE("a table is full before ranges that all overlap have taken all memory") {
  // 10^6 ranges have sets of 10^12 members.
  constexpr TimePs kRanges = 1'000'000;
  SetTable table;
  RangeSets ranges;
  for (TimePs r = 0; r < kRanges; ++r) ranges.add(r, kRanges + r, r);
  ranges.close(table);
  CHECK(table.is_full());
  // Few sets that are asked for again and again end there, too.
  SetTable again;
  RangeSets base;
  for (TimePs r = 0; r < 1000; ++r) base.add(0, 4 * kRanges, r);
  for (TimePs r = 0; r < kRanges; ++r) base.add(4 * r, 4 * r + 2, -1);
  base.close(again);
  CHECK(again.is_full());
  CHECK(again.sets().size() == 3);
}

TEST_CASE("sets are those that a look at every range gives") {
  CHECK(rc::check([] {
    struct Range {
      TimePs begin, end;
      std::int64_t member;
    };
    std::vector<Range> given;
    for (int i = 0, count = *rc::gen::inRange(0, 12); i < count; ++i) {
      const TimePs begin = *rc::gen::inRange(0, 30);
      given.push_back({begin, begin + *rc::gen::inRange(0, 20), *rc::gen::inRange(0, 4)});
    }
    SetTable table;
    RangeSets ranges;
    for (const Range& range : given) ranges.add(range.begin, range.end, range.member);
    ranges.close(table);
    for (TimePs moment = -1; moment < 60; ++moment) {
      SetTable::Set want;
      for (std::int64_t member = 0; member < 4; ++member) {
        if (std::any_of(given.begin(), given.end(), [&](const Range& range) {
              return range.member == member && range.begin <= moment && moment < range.end;
            }))
          want.push_back(member);
      }
      RC_ASSERT(table.sets()[ranges.at(moment)] == want);
    }
  }));
}

}  // namespace
}  // namespace orrery::page

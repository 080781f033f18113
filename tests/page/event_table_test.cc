#include "page/data/event_table.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "page/data/event_columns.h"
#include "page/data/event_kinds.h"
#include "page/data/name_table.h"

using namespace orrery;

namespace {

/// A rank with two threads (lanes 0, 1), a stream (2) and a lane of bookkeeping (3).
class RankMaker {
 public:
  RankMaker() {
    trace_.ranks.resize(1);
    trace::RankTrace& rank = trace_.ranks.front();
    for (const std::int64_t thread : {10, 11, 7, 99}) rank.lanes.push_back({.process = {1, 0}, .thread = {thread, 0}});
    for (const trace::Activity activity : {trace::Activity::cpu_operator, trace::Activity::kernel,
                                           trace::Activity::annotation, trace::Activity::overhead})
      rank.categories.push_back({0, activity});
  }

  trace::EventIndex add(trace::LaneIndex lane, std::uint16_t category, TimePs start, TimePs duration,
                        std::string_view name = "x") {
    trace::RankTrace& rank = trace_.ranks.front();
    return rank.append_event(
        {.start = start, .duration = duration, .name = trace_.strings.intern(name), .lane = lane, .category = category},
        {static_cast<std::uint32_t>(2 * rank.event_count()), 0});
  }

  trace::Trace& trace() { return trace_; }

 private:
  trace::Trace trace_;
};

constexpr std::uint16_t kOperator = 0, kKernel = 1, kAnnotation = 2, kOverhead = 3;

std::vector<trace::EventIndex> order_of(const page::EventTable& table) {
  const Column<trace::EventIndex>& order = table.ranks().front().order;
  return {order.begin(), order.end()};
}

}  // namespace

TEST_CASE("lanes: threads by work, streams, then bookkeeping") {
  RankMaker maker;
  maker.add(3, kOverhead, 0, 900'000);
  maker.add(2, kKernel, 5'000, 1'000);
  maker.add(0, kOperator, 0, 10'000);
  // An annotation holds work; it is none.
  maker.add(0, kAnnotation, 0, 800'000);
  maker.add(1, kOperator, 0, 50'000);
  // Nested work counts once.
  maker.add(0, kOperator, 1'000, 5'000);
  const page::EventTable table(maker.trace(), {});
  std::vector<std::string> names;
  for (const page::PageLane& lane : table.lanes()) names.push_back(lane.name);
  CHECK(names == std::vector<std::string>{"thread 11", "thread 10", "stream 7", "thread 99"});
  CHECK(table.lanes()[1].work == 10'000);
  CHECK(table.lanes()[2].stream == 7);
  CHECK(table.lanes()[3].sort == page::LaneSort::other);
  CHECK(table.lane_number(0, 2) == 2);
}

TEST_CASE("events of a lane: by start, the longer first, then as the file has them") {
  RankMaker maker;
  const auto late = maker.add(0, kOperator, 2'000, 1'000);
  const auto inner = maker.add(0, kOperator, 1'000, 500);
  const auto outer = maker.add(0, kOperator, 1'000, 5'000);
  const auto twin = maker.add(0, kOperator, 1'000, 500);
  const page::EventTable table(maker.trace(), {});
  CHECK(order_of(table) == std::vector<trace::EventIndex>{outer, inner, twin, late});
  CHECK(table.id(0, outer) == 0);
  CHECK(table.id(0, late) == 3);
  CHECK(table.origin() == 1'000);
  CHECK(table.end() == 6'000);
  CHECK(page::event_with_ordinal(maker.trace().ranks.front(), 2) == inner);
  CHECK(page::event_with_ordinal(maker.trace().ranks.front(), 3) == std::nullopt);
}

TEST_CASE("the unit is a nanosecond if every time is whole from the first on") {
  RankMaker whole;
  whole.add(0, kOperator, 1'500, 2'000);
  whole.add(0, kOperator, 4'500, 0);
  CHECK(page::EventTable(whole.trace(), {}).unit_ps() == 1'000);
  RankMaker odd;
  odd.add(0, kOperator, 1'500, 2'000);
  odd.add(0, kOperator, 4'600, 0);
  CHECK(page::EventTable(odd.trace(), {}).unit_ps() == 1);
  CHECK(page::EventTable(RankMaker().trace(), {}).events() == 0);
}

TEST_CASE("too many events: the shortest go, but not what is on the path") {
  RankMaker maker;
  for (const TimePs duration : {30, 10, 10, 50, 20, 5}) maker.add(0, kOperator, 1'000 * duration, duration);
  page::EventLimits limits{.most_events = 3};
  limits.must_stay.emplace_back(std::size_t{6}, std::uint8_t{0});
  limits.must_stay.front()[5] = 1;
  const page::EventTable table(maker.trace(), limits);
  std::vector<trace::EventIndex> left = order_of(table);
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<trace::EventIndex>{0, 3, 5});
  CHECK(table.left_out() == 3);
  CHECK(table.id(0, 1) == std::nullopt);
  // Of equals those that come first in the file go first.
  CHECK(page::EventTable(maker.trace(), {.most_events = 4}).id(0, 1) == std::nullopt);
  CHECK(page::EventTable(maker.trace(), {.most_events = 4}).id(0, 2).has_value());
  // What must stay stays, however many there are.
  limits.most_events = 0;
  CHECK(page::EventTable(maker.trace(), limits).events() == 1);
}

TEST_CASE("any trace: ids are a permutation in the order of the format, and the limit holds") {
  rc::check([] {
    RankMaker maker;
    const auto events = *rc::gen::container<std::vector<std::tuple<std::uint32_t, TimePs, TimePs>>>(rc::gen::tuple(
        rc::gen::inRange<std::uint32_t>(0, 4), rc::gen::inRange<TimePs>(0, 50), rc::gen::inRange<TimePs>(0, 20)));
    for (const auto& [lane, start, duration] : events)
      maker.add(lane, lane == 2 ? kKernel : lane == 3 ? kOverhead : kOperator, start, duration);
    const auto most = *rc::gen::inRange<std::uint64_t>(0, 40);
    const page::EventTable table(maker.trace(), {.most_events = most});
    RC_ASSERT(table.events() == std::min<std::uint64_t>(most, events.size()));
    RC_ASSERT(table.events() + table.left_out() == events.size());
    const trace::RankTrace& rank = maker.trace().ranks.front();
    const std::vector<trace::EventIndex> order = order_of(table);
    const auto key = [&](trace::EventIndex e) {
      return std::tuple(*table.lane_number(0, rank.lane[e]), rank.start[e], -rank.duration[e], rank.ordinal[e]);
    };
    for (std::size_t i = 1; i < order.size(); ++i) RC_ASSERT(key(order[i - 1]) < key(order[i]));
    for (std::uint32_t i = 0; i < order.size(); ++i) RC_ASSERT(table.id(0, order[i]) == i);
    TimePs longest_left_out = -1, shortest_in = 100;
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      if (table.id(0, e)) shortest_in = std::min(shortest_in, rank.duration[e]);
      else longest_left_out = std::max(longest_left_out, rank.duration[e]);
    }
    RC_ASSERT(longest_left_out <= shortest_in);
  });
}

TEST_CASE("names: the most frequent first; one name of two kinds is two names") {
  RankMaker maker;
  maker.add(0, kOperator, 0, 1, "b");
  maker.add(0, kOperator, 1, 1, "a");
  maker.add(2, kKernel, 2, 1, "b");
  maker.add(2, kKernel, 3, 1, "b");
  maker.add(2, kKernel, 3, 1, "ncclDevKernel_AllReduce");
  const page::EventTable table(maker.trace(), {});
  const page::NameTable names(maker.trace(), table);
  CHECK(names.column(maker.trace().strings).bytes == R"([["b",5],["a",0],["b",0],["ncclDevKernel_AllReduce",6]])");
  const page::Blob blob = page::rank_blob(maker.trace(), table, names, 0);
  std::vector<std::string> columns;
  for (const page::EncodedColumn& column : blob.table) columns.push_back(column.name + " " + column.codec);
  CHECK(columns == std::vector<std::string>{"ev.start delta", "ev.dur planes", "ev.name planes", "ev.ordinal delta"});
}

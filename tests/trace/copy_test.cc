#include "trace/select_events.h"

#include <doctest/doctest.h>

#include "trace/columns.h"

namespace orrery::trace {

TEST_CASE("a copy has every column, text and argument, and is on its own") {
  Trace trace;
  trace.epoch_unix_ns = 77;
  RankTrace& rank = trace.ranks.emplace_back();
  rank.rank = 3;
  rank.epoch_unix_ns = 77;
  rank.era_ns = 5;
  rank.source.path = "rank3.json";
  const StringId name = trace.strings.intern("aten::mm");
  rank.lanes.push_back({.process = {1306, 0}, .thread = {0, name}});
  rank.categories.push_back({name, Activity::kernel});
  const EventIndex event = rank.append_event({.start = 10, .duration = 5, .name = name}, {4, 400});
  rank.field(Field::stream).push(event, 7);
  rank.arguments.named("mine", ValueType::integer).push(event, 9);
  rank.flows.id.push_back(1);
  rank.flows.time.push_back(11);
  rank.flows.lane.push_back(0);
  rank.flows.category.push_back(0);
  rank.flows.phase.push_back('s');

  Trace copy = copy_of(trace);
  rank.start[event] = 99;
  REQUIRE(copy.ranks.size() == 1);
  const RankTrace& copied = copy.ranks.front();
  CHECK(copy.epoch_unix_ns == 77);
  CHECK(copied.rank == 3);
  CHECK(copied.era_ns == 5);
  CHECK(copied.source.path == "rank3.json");
  CHECK(copied.start[0] == 10);
  CHECK(copy.strings.text(copied.name[0]) == "aten::mm");
  CHECK(copied.lanes[0].thread.text == name);
  CHECK(copied.activity(0) == Activity::kernel);
  CHECK(*copied.field(Field::stream).find(0) == 7);
  REQUIRE(copied.arguments.named().size() == 1);
  CHECK(copied.arguments.named()[0].values.value[0] == 9);
  // By the list of columns, so that a new one is not forgotten.
  for_each_event_column([&](const auto& column) { CHECK_MESSAGE((copied.*column.values).size() == 1, column.name); });
  for_each_flow_column(
      [&](const auto& column) { CHECK_MESSAGE((copied.flows.*column.values).size() == 1, column.name); });
}

}  // namespace orrery::trace

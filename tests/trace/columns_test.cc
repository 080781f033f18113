// The enumeration of columns is complete: nothing that a RankTrace holds per event or per arrow is missing from it.
#include "trace/columns.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace orrery::trace {

TEST_CASE("every column of events and of arrows is enumerated once") {
  std::set<std::string> names;
  std::size_t event_bytes = 0, flow_bytes = 0;
  for_each_event_column([&]<typename T>(const ColumnOf<RankTrace, T>& column) {
    CHECK(names.insert(std::string(column.name)).second);
    event_bytes += sizeof(T);
  });
  for_each_flow_column([&]<typename T>(const ColumnOf<Flows, T>& column) {
    CHECK(names.insert("flow " + std::string(column.name)).second);
    flow_bytes += sizeof(T);
  });
  CHECK(event_bytes == 40);  // as trace.h promises
  CHECK(flow_bytes == 23);
}

TEST_CASE("appending an event fills every column") {
  RankTrace rank;
  rank.append_event(
      {.start = 7, .duration = 2, .name = 1, .lane = 3, .category = 4, .phase = 'i', .flags = kHasDuration}, {5, 6});
  for_each_event_column([&](const auto& column) {
    CAPTURE(column.name);
    CHECK((rank.*column.values).size() == 1);
  });
  CHECK(rank.end(0) == 9);
  CHECK(rank.ordinal[0] == 5);
  CHECK(rank.source_offset[0] == 6);
}

TEST_CASE("a format's own arguments are found by name and type") {
  ArgumentTable table;
  table.named("size", ValueType::integer).push(0, 12);
  table.named("size", ValueType::text).push(1, 3);  // another argument: a number is no text
  table.named("size", ValueType::integer).push(2, 13);
  REQUIRE(table.named().size() == 2);
  CHECK(table.named()[0].values.find(2) == 13);
  CHECK(table.named()[1].values.find(1) == 3);

  ArgumentTable later;
  later.named("size", ValueType::integer).push(0, 14);
  later.named("new", ValueType::integer).push(0, 15);
  later[Field::stream].push(0, 7);
  table.append(std::move(later), 10);
  CHECK(table.named()[0].values.find(10) == 14);
  CHECK(table.named()[2].values.find(10) == 15);
  CHECK(table[Field::stream].find(10) == 7);
}

}  // namespace orrery::trace

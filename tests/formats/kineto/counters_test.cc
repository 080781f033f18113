// Counters of Chrome's JSON.
#include <fmt/format.h>

#include <map>

#include "reading.h"

namespace orrery::kineto::testing {
namespace {

/// "name at us": value
std::map<std::string, double> counters_of(const Reading& reading) {
  std::map<std::string, double> found;
  const trace::Counters& counters = reading.rank->counters;
  for (std::size_t i = 0; i < counters.size(); ++i)
    found[fmt::format("{} {}", reading.strings.text(counters.name[i]), counters.time[i] / kPsPerUs)] =
        counters.value[i];
  return found;
}

}  // namespace

TEST_CASE("a counter has a value per number in its arguments, and is an instant, too") {
  const Reading reading = read_text(document(R"(
{"ph":"C","name":"queue","pid":1,"ts":10,"args":{"value":2.5}},
{"ph":"C","name":"memory","pid":1,"ts":11,"args":{"used":7,"fr\u0065e":9,"unit":"GB"}},
{"ph":"C","name":"nothing","pid":1,"ts":12})"));
  REQUIRE(reading.rank);
  CHECK(reading.rank->event_count() == 3);
  CHECK(counters_of(reading) ==
        std::map<std::string, double>{{"queue 10", 2.5}, {"memory: used 11", 7}, {"memory: free 11", 9}});
}

TEST_CASE("counters of one name in several processes are called after those") {
  const Reading reading = read_text(document(R"(
{"ph":"M","name":"process_name","pid":1,"args":{"name":"replica 0"}},
{"ph":"C","name":"queue","pid":1,"ts":10,"args":{"value":1}},
{"ph":"C","name":"queue","pid":2,"ts":10,"args":{"value":2}},
{"ph":"C","name":"blocks","pid":2,"ts":10,"args":{"value":3}})"));
  REQUIRE(reading.rank);
  CHECK(counters_of(reading) ==
        std::map<std::string, double>{{"queue (replica 0) 10", 1}, {"queue (2) 10", 2}, {"blocks 10", 3}});
}

}  // namespace orrery::kineto::testing

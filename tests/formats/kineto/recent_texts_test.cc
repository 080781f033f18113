#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "reading.h"

using namespace orrery;
using namespace orrery::kineto::testing;

TEST_CASE("names that differ in one letter anywhere, or by how they are escaped, stay apart when they come again") {
  std::vector<std::string> names = {"k", "kk", R"(a\tb)", R"(a\\tb)", "a/tb", R"(a\/tb)"};
  for (std::size_t i = 0; i < 48; ++i) {
    names.push_back(std::string(48, 'x'));
    names.back()[i] = 'y';
  }
  std::string events;
  for (int again = 0; again < 2; ++again) {
    for (const std::string& name : names)
      events += (events.empty() ? "" : ", ") +
                std::string(R"({"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "name": ")") + name + R"("})";
  }
  const Reading read = read_text(document(events));
  REQUIRE(read.rank);
  REQUIRE(read.rank->event_count() == 2 * names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(read.rank->name[i] == read.rank->name[names.size() + i]);
    if (names[i].find('\\') == std::string::npos) CHECK(read.strings.text(read.rank->name[i]) == names[i]);
  }
  CHECK(read.strings.text(read.rank->name[2]) == "a\tb");
  CHECK(read.strings.text(read.rank->name[3]) == "a\\tb");
  CHECK(read.rank->name[4] == read.rank->name[5]);
}

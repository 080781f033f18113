#include "base/json/json_members.h"

#include <doctest/doctest.h>

#include <string>

namespace orrery {
namespace {

// Followed by bytes that can be read, as the functions want it.
std::string padded(std::string_view text) { return std::string(text) + std::string(64, ' '); }

}  // namespace

TEST_CASE("members of an object, as they are written") {
  const std::string text = padded(R"({"a" : 1, "b\"": {"c": [1, "}"]}, "a": null})");
  const std::string_view object = std::string_view(text).substr(0, text.size() - 64);
  std::vector<JsonMember> members;
  REQUIRE(list_members(object, members));
  REQUIRE(members.size() == 3);
  CHECK(members[0].value == "1");
  CHECK(members[1].key == "b\\\"");
  CHECK(members[1].value == R"({"c": [1, "}"]})");
  const auto [a, missing] = members_of<2>(object, {"a", "x"});
  CHECK(a == "null");  // of several the last
  CHECK(missing.empty());
}

TEST_CASE("what is no object has no members, what is no list no entries") {
  for (const std::string_view text :
       {"", "{", "[]", "{\"a\" 1}", "{\"a\": }", "{\"a\": 1", "{\"a\": [1}", "{\"a\": 1} x"}) {
    CAPTURE(text);
    const std::string bytes = padded(text);
    std::vector<JsonMember> members;
    CHECK_FALSE(list_members({bytes.data(), text.size()}, members));
  }
  for (const std::string_view text : {"", "[", "{}", "[1,]", "[1 2]", "[{]", "[1] x"}) {
    CAPTURE(text);
    const std::string bytes = padded(text);
    CHECK_FALSE(for_each_entry({bytes.data(), text.size()}, [](std::string_view) {}));
  }
}

TEST_CASE("entries of a list, as they are written") {
  const std::string text = padded(R"([ 1, "two, three",[4 , 5],true ])");
  const auto entries = list_entries({text.data(), text.size() - 64});
  REQUIRE(entries.size() == 4);
  CHECK(entries[1] == "\"two, three\"");
  CHECK(entries[2] == "[4 , 5]");
  CHECK(list_entries({text.data() + 1, 1}).empty());
}

}  // namespace orrery

#include "formats/kineto/other_arguments.h"

#include <doctest/doctest.h>

#include "reading.h"

namespace orrery::kineto::testing {

TEST_CASE("every event of a trace is found again, plain and packed") {
  // The third event is longer than a block of the stream.
  const std::string events[] = {
      R"({"ph": "X", "name": "a }\"{ name", "ts": 1, "dur": 1, "args": {"shapes": [[1, 2], []]}})",
      R"({"ph": "i", "ts": 2})",
      R"({"ph": "X", "ts": 3, "dur": 1, "args": {"stack": ")" + std::string(3 << 20, 's') + R"("}})",
      R"({ "ts" : 4 })"};
  std::string text = "[";
  for (const std::string& event : events) text += (text.size() == 1 ? "" : ", ") + event;
  const orrery::testing::TempDir folder;
  for (const std::string& path : {folder.write("a.json", text + "]"), folder.write("a.gz", gzip(text + "]")),
                                  folder.write("a.zst", zstd(text + "]"))}) {
    CAPTURE(path);
    const Reading reading = read_file(path);
    REQUIRE(reading.rank.has_value());
    REQUIRE(reading.rank->event_count() == 4);
    for (std::size_t e = 0; e < 4; ++e) {
      const auto found = read_event_text(path, reading.rank->source_offset[e]);
      REQUIRE(found.ok());
      CHECK((*found == events[e]));
    }
    for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{text.size()},
                                      std::uint64_t{text.size() + 1000}, ~std::uint64_t{0} - 1}) {
      const auto missing = read_event_text(path, wrong);
      REQUIRE_FALSE(missing.ok());
      CHECK(missing.error().to_string() ==
            path + ": byte " + std::to_string(wrong) +
                ": there is no event at this place (has the file changed since it was read?)");
    }
  }
}

TEST_CASE("an event before the damage is found, one behind it is an error") {
  std::string text = R"([{"ph": "X", "name": "first", "ts": 1},)";
  for (int i = 0; i < 50'000; ++i) text += R"({"ph": "X", "ts": )" + std::to_string(i * 7919 % 50'021) + "},";
  const std::string packed = gzip(text);
  const orrery::testing::TempDir folder;
  const std::string path = folder.write("cut.gz", packed.substr(0, packed.size() / 2));
  REQUIRE(read_event_text(path, 1).ok());
  CHECK(*read_event_text(path, 1) == R"({"ph": "X", "name": "first", "ts": 1})");
  CHECK_FALSE(read_event_text(path, text.rfind('{')).ok());
  CHECK_FALSE(read_event_text(folder.path("missing"), 1).ok());
  CHECK_FALSE(read_event_text(folder.write("open.json", R"([{"ph": "X")"), 1).ok());
}

TEST_CASE("the texts of many events come in one pass") {
  const orrery::testing::TempDir folder;
  const std::string text =
      R"([{"ph": "X", "name": "first", "ts": 1}, {"ph": "X", "name": "second", "ts": 2}, {"ph": "X", "name": "third", "ts": 3}])";
  const std::string path = folder.write("many.json", text);
  const std::vector<std::uint64_t> offsets = {1, text.rfind('{')};
  std::vector<std::string> found;
  const Status visited = visit_event_texts(path, offsets, [&](std::size_t i, std::string_view event) {
    CHECK(i == found.size());
    found.emplace_back(event);
  });
  CHECK(visited.ok());
  REQUIRE(found.size() == 2);
  CHECK(found[0] == R"({"ph": "X", "name": "first", "ts": 1})");
  CHECK(found[1] == R"({"ph": "X", "name": "third", "ts": 3})");
  const std::vector<std::uint64_t> wrong = {1, 2};
  CHECK_FALSE(visit_event_texts(path, wrong, [](std::size_t, std::string_view) {}).ok());
  CHECK(visit_event_texts(path, {}, [](std::size_t, std::string_view) {}).ok());
}

}  // namespace orrery::kineto::testing

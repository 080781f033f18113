// Bad input: an error that names the file and the byte, or a count of what was left out. Never a crash, never a silent
// end.
#include <doctest/doctest.h>

#include "base/io/output_file.h"
#include "reading.h"

namespace orrery::pytorch_et::testing {
namespace {

const std::string kTwoRows = document(
    row("2", "a \\\"quoted\\\" name", "1", R"(, {"name": "pg_name", "type": "string", "value": "0"})") + ",\n    " +
    row("1", "b", "1", "",
        R"(, "ts": 12.5e1, "sync_dep": [2], "inter_thread_dep": null, "unknown": [{"deep": [1, {"x": "]}"}]}, true])"));

std::string repeated(std::size_t times, const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

void check_error(const Reading& reading, std::uint64_t text_bytes) {
  REQUIRE(reading.error.has_value());
  CHECK(reading.error->file == reading.path);
  CHECK(reading.error->offset <= text_bytes);
  CHECK_FALSE(reading.error->message.empty());
  CHECK_FALSE(reading.error->hint.empty());
}

std::string error_of(std::string_view text) {
  const Reading reading = read_text(text);
  if (reading.trace) return "read";
  const std::string whole = reading.error->to_string();
  return whole.starts_with(reading.path + ": ") ? whole.substr(reading.path.size() + 2) : whole;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a trace cut at any byte is an error at a place inside it") {
  REQUIRE(read_text(kTwoRows).trace.has_value());
  for (std::size_t size = 0; size < kTwoRows.size(); ++size) {
    CAPTURE(size);
    check_error(read_text(kTwoRows.substr(0, size)), size);
  }
}

TEST_CASE("a packed trace cut short is an error") {
  const orrery::testing::TempDir folder;
  REQUIRE(write_whole_file(folder.path("whole.json.gz"), kTwoRows).ok());
  const std::string packed = orrery::testing::read_file(folder.path("whole.json.gz"));
  for (std::size_t size = 2; size < packed.size(); size += 7) {
    CAPTURE(size);
    const Reading reading = read_path(folder.write("cut.json.gz", packed.substr(0, size)));
    CHECK_FALSE(reading.trace.has_value());
    CHECK(reading.error->file == reading.path);
  }
}

TEST_CASE("any byte changed to any of a few others: an error in its place or a sound trace") {
  for (std::size_t at = 0; at < kTwoRows.size(); ++at) {
    for (const char c : {'\0', '"', '{', '}', '[', ']', ',', ':', '\\', '9', '-', 'x', '\xFF'}) {
      std::string text = kTwoRows;
      text[at] = c;
      const Reading reading = read_text(text);  // checks that it is sound
      if (reading.error) CHECK(reading.error->offset <= text.size());
    }
  }
}

TEST_CASE("files that are something else say so") {
  CHECK(error_of("") == "byte 0: the file is empty (expected a PyTorch execution trace (JSON with schema and nodes))");
  CHECK(contains(error_of("  \n"), "the file is empty"));
  CHECK(contains(error_of("MPI trace"), "byte 0: this is not JSON"));
  CHECK(contains(error_of("\"nodes\""), "this is not JSON"));
  CHECK(contains(error_of(R"({"schemaVersion": 1, "traceEvents": [{"ph": "X"}]})"), "it looks like a Kineto trace"));
  CHECK(contains(error_of(R"([{"ph": "X"}])"), "it looks like a Kineto trace"));
  CHECK(contains(error_of(R"({"schema": "1.1.1"})"), "there is no nodes list in this file"));
  CHECK(contains(error_of(R"({"schema": "1.1.1", "nodes": {"a": 1}})"), "there is no nodes list in this file"));
  CHECK(contains(error_of(R"({"schema": "1.1.1", "nodes": [], "nodes": []})"), "a second list of nodes"));
  CHECK(contains(read_path("/nowhere/trace.json").error->to_string(), "/nowhere/trace.json"));
}

TEST_CASE("a schema that is missing or unknown is an error, since nothing else says how to read the rows") {
  CHECK(contains(error_of(R"({"nodes": []})"), "the file does not say which schema it has"));
  for (const char* schema :
       {"\"1.0.0\"", "\"0.9\"", "\"x\"", "\"1.1\"", "\"1.-1.1\"", "\"99999999999.0.0\"", "7", "null", "[]"}) {
    CAPTURE(schema);
    CHECK(contains(error_of("{\"nodes\": [], \"schema\": " + std::string(schema) + "}"),
                   "is not that of an execution trace"));
  }
}

TEST_CASE("malformed JSON is an error at its byte") {
  CHECK(contains(error_of(R"({"schema" "1.1.1"})"), "byte 10: expected : after a key"));
  CHECK(contains(error_of(R"({"schema": "1.1.1" "nodes": []})"), "byte 19: expected , or } after a value"));
  CHECK(contains(error_of(R"({"nodes": [{"id": 1} {"id": 2}]})"), "byte 21: expected , or ] after an element"));
  CHECK(contains(error_of(R"({"nodes": [{"id": }]})"), "byte 18: expected a value"));
  CHECK(contains(error_of(R"({"nodes": [{id: 1}]})"), "byte 12: expected a key"));
  CHECK(contains(error_of(R"({"nodes": [{"id": 1,}]})"), "expected a key"));
  CHECK(contains(error_of(R"({"nodes": [{"id": 1, "name": "x)"), "the file ends too early"));
}

TEST_CASE("nesting beyond any use is refused, wherever it is") {
  const std::string bomb = repeated(100'000, "[") + repeated(100'000, "]");
  CHECK(contains(error_of(bomb), "Kineto"));
  CHECK(contains(error_of("{\"x\": " + bomb + "}"), "nested deeper than 512 levels"));
  CHECK(contains(error_of(document(bomb)), "nested deeper than 512 levels"));
  CHECK(contains(error_of(document(row("1", "a", "1", "", ", \"inputs\": " + bomb))), "nested deeper than 512 levels"));
  CHECK(contains(error_of(document(row("1", "a", "1", ", " + bomb))), "nested deeper than 512 levels"));
  CHECK(contains(error_of(document(row("1", "a", "1", ", {\"name\": \"x\", \"value\": " + bomb + "}"))),
                 "nested deeper than 512 levels"));
  CHECK(contains(error_of(document(row("1", "a", "1", "", ", \"sync_dep\": [" + bomb + "]"))),
                 "nested deeper than 512 levels"));
  CHECK(contains(error_of(repeated(100'000, "{\"nodes\":")), "nested"));
}

TEST_CASE("an id used twice is an error that names it and the second row") {
  const std::string near = document(row("5", "a", "1") + "," + row("6", "b", "1") + "," + row("5", "c", "1"));
  CHECK(contains(error_of(near), "two rows have the id 5"));
  CHECK(read_text(near).error->offset == near.find(row("5", "c", "1")));
  // Ids so far apart that they are sorted instead of marked.
  const std::string far =
      document(row("7", "a", "1") + "," + row("18446744073709551615", "b", "1") + "," + row("3", "c", "1") + "," +
               row("18446744073709551615", "d", "1") + "," + row("7", "e", "1"));
  CHECK(contains(error_of(far), "two rows have the id 18446744073709551615"));
  CHECK(read_text(far).error->offset == far.find(R"({"id": 18446744073709551615, "name": "d")"));
}

TEST_CASE("rows that cannot be used are left out and counted; the others are kept") {
  const Reading reading = read_text(document(
      R"(17, null, [1, 2], "row", {}, {"id": "x", "sync_dep": [1]}, {"id": -4}, {"id": 1.5}, {"id": null}, {"name": "no id"},)" +
      row("5", "good", "1", "", R"(, "sync_dep": [6])")));
  REQUIRE(reading.trace.has_value());
  CHECK(reading.count("L206") == 10);
  REQUIRE(reading.trace->size() == 1);
  CHECK(row_text(reading, 0).ends_with(" +6"));
  CHECK(reading.trace->sync_ids.size() == 1);
}

TEST_CASE("a row without a parent, or without attributes, is kept and counted") {
  const Reading reading = read_text(document(
      R"({"id": 3, "name": "a"}, {"id": 4, "ctrl_deps": "x", "attrs": 5}, {"id": 5, "ctrl_deps": 3, "attrs": []})"));
  REQUIRE(reading.trace.has_value());
  CHECK(row_text(reading, 0) == "3<3 'a' - - - - - - ''");
  CHECK(row_text(reading, 1) == "4<4 '' - - - - - - ''");
  CHECK(row_text(reading, 2) == "5<3 '' - - - - - - ''");
  CHECK(reading.count("L207") == 2);
  CHECK(reading.count("L208") == 2);
}

TEST_CASE(
    "values of the wrong type count as not given, once each, also where the list is one known from the row before") {
  const auto attributes = [](std::string_view rf_id) {
    return R"("attrs": [{"name": "rf_id", "value": )" + std::string(rf_id) +
           R"(}, {"name": "op_schema", "value": [1]}])";
  };
  const Reading reading = read_text(
      document(R"({"id": 3, "ctrl_deps": 1, )" + attributes("4") + R"(}, {"id": 4, "ctrl_deps": 1, )" +
               attributes("\"x\"") + R"(}, {"id": 5, "ctrl_deps": 1, "name": true, )" + attributes("1.5") +
               R"(}, {"id": 6, "ctrl_deps": 1, "ts": "soon", "sync_dep": [1, "a", {}], )" + attributes("null") + "}"));
  REQUIRE(reading.trace.has_value());
  CHECK(row_text(reading, 0).starts_with("3<1 '' 4 "));
  CHECK(row_text(reading, 1).starts_with("4<1 '' - "));
  CHECK(row_text(reading, 2).starts_with("5<1 '' - "));
  CHECK(row_text(reading, 3) == "6<1 '' - - - - - - '' - - - not-measured - - '' '' '' +1");
  CHECK(reading.count("L208") ==
        4 + 1 + 2 +
            3);  // op_schema of each; rf_id of the second; of the third with its name; of the last ts and two ids
}

TEST_CASE("attributes that are no objects are passed over, each time they come") {
  const std::string attributes = R"("attrs": [7, {"name": "rf_id", "value": 4}, "tid"])";
  const Reading reading = read_text(
      document(R"({"id": 3, "ctrl_deps": 1, )" + attributes + R"(}, {"id": 4, "ctrl_deps": 1, )" + attributes + "}"));
  REQUIRE(reading.trace.has_value());
  CHECK(row_text(reading, 1) == "4<1 '' 4 - - - - - ''");
  CHECK(reading.count("L208") == 4);
}

TEST_CASE("times that are no numbers are absent") {
  const Reading reading =
      read_text(document(row("3", "a", "1", "", R"(, "ts": NaN, "inclusive_dur": 1e999, "exclusive_dur": -Infinity)")));
  REQUIRE(reading.trace.has_value());
  CHECK(row_text(reading, 0) == "3<1 'a' 3 0 -1 7 1 0 '' - - - not-measured - - '' '' ''");
  CHECK(reading.count("L208") == 3);
}

TEST_CASE("text after the end is counted, white space and zeros are not") {
  CHECK(read_text(kTwoRows + " \n\t").diagnostics.empty());
  CHECK(read_text(kTwoRows + std::string(100, '\0')).diagnostics.empty());
  CHECK(read_text(kTwoRows + kTwoRows).count("L209") == 1);
}

TEST_CASE("a file compressed twice says so") {
  const orrery::testing::TempDir folder;
  REQUIRE(write_whole_file(folder.path("once.gz"), kTwoRows).ok());
  REQUIRE(write_whole_file(folder.path("twice.gz"), orrery::testing::read_file(folder.path("once.gz"))).ok());
  const Reading reading = read_path(folder.path("twice.gz"));
  REQUIRE(reading.error.has_value());
  CHECK(contains(reading.error->to_string(), "compressed twice"));
}

}  // namespace orrery::pytorch_et::testing

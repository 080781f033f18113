#include "formats/kineto/overlay_writer.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "oracle.h"
#include "reading.h"

namespace orrery::kineto::testing {
namespace {

std::string overlay_of(const std::string& text, const Overlay& overlay) {
  const orrery::testing::TempDir folder;
  const Status written = write_overlay(folder.write("in.json", text), overlay, folder.path("out.json"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) ==
        (written.ok() ? 2 : 1));  // nothing left behind
  return written.ok() ? orrery::testing::read_file(folder.path("out.json")) : written.error().message;
}

Flow arrow() {
  return {.from = {.process = "1", .thread = "2", .time = "3.5"},
          .to = {.process = "0", .thread = "\"stream 7\"", .time = "4"},
          .type = "critical_path_kernel",
          .weight = "0.5",
          .critical = true};
}

}  // namespace

TEST_CASE("events are marked by their place in the list, and arrows come last") {
  const std::string text =
      R"({"schemaVersion": 1, "traceEvents": [{"ph":"X","ts":1,"dur":1}, 17, {"ph":"X","ts":2,"dur":1,"args":{}},
    {"ph": "X", "name": "a \"name\": {", "args": [1], "ts": 3, "args": { "stream": 7}, "dur": 1}], "traceName": "x"})";
  CHECK(overlay_of(text, {.critical = {1, 0, 1, 1}, .only_critical = false, .flows = {arrow()}}) == R"({
"schemaVersion": 1,
"traceEvents": [
{"ph":"X","ts":1,"dur":1, "args": {"critical": 1}},
17,
{"ph":"X","ts":2,"dur":1,"args":{"critical": 1}},
{"ph": "X", "name": "a \"name\": {", "args": [1], "ts": 3, "args": {"critical": 1,  "stream": 7}, "dur": 1},
{"ph": "s", "id": 0, "pid": 1, "tid": 2, "ts": 3.5, "cat": "critical_path", "name": "critical_path", "args": {"weight": 0.5, "critical": true, "type": "critical_path_kernel"}},
{"ph": "f", "id": 0, "pid": 0, "tid": "stream 7", "ts": 4, "cat": "critical_path", "name": "critical_path", "args": {"weight": 0.5, "critical": true, "type": "critical_path_kernel"}, "bp": "e"}
]
,
"traceName": "x"}
)");
}

TEST_CASE("only critical: other complete events go, annotations and everything else stay") {
  const std::string text =
      R"([{"ph":"X","name":"a"},{"ph":"X","name":"b"},{"ph":"i","name":"c"},{"ph":"X","cat":"user_annotation","name":"d"},{"ph":"X","cat":"python_function","name":"e"}])";
  CHECK(overlay_of(text, {.critical = {0, 1}, .only_critical = true, .flows = {}}) == R"({
"traceEvents": [
{"ph":"X","name":"b", "args": {"critical": 1}},
{"ph":"i","name":"c"},
{"ph":"X","cat":"user_annotation","name":"d"},
{"ph":"X","cat":"python_function","name":"e"}
]
}
)");
}

TEST_CASE("the outcome is JSON whatever the input was") {
  for (const char* text :
       {"[]", "[", "{}", R"({"traceEvents": []})", R"({"a": 1})", R"([{}])", R"([{ }])",
        R"({"traceEvents": [{"args":{ }},], "b": 2,})",
        R"({"traceEvents": [{}], "a": 1, "traceEvents": [{"ph": "X"}]})",
        R"([{"ph": "X", "name": "}"}, {"args": {"args": {}}}])", R"([{"\u0061rgs": {"stream": 7}}])"}) {
    CAPTURE(text);
    const std::string written =
        overlay_of(text, {.critical = {1, 1, 1, 1}, .only_critical = false, .flows = {arrow()}});
    CAPTURE(written);
    simdjson::dom::parser parser;
    CHECK(parser.parse(written).error() == simdjson::SUCCESS);
  }
}

TEST_CASE("damaged input leaves nothing behind") {
  CHECK(overlay_of(R"({"traceEvents": [{"ph": "X")", {}) == "the file ends inside an event");
  CHECK(overlay_of("", {}) == "the file is empty");
  const std::string packed = gzip(R"({"traceEvents": [{"ph": "X"}]})");
  CHECK(overlay_of(packed.substr(0, packed.size() - 1), {}) == "the gzip file is truncated");
}

TEST_CASE("an overlay without marks reads like its source") {
  const orrery::testing::TempDir folder;
  const std::string source = std::string(ORRERY_SOURCE_DIR) + "/data/gpt_small.kineto.json.gz";
  REQUIRE(write_overlay(source, {}, folder.path("copy.json.gz")).ok());
  const Reading before = read_file(source);
  const Reading after = read_file(folder.path("copy.json.gz"));
  CHECK(first_difference(to_text(after), to_text(before)) == "");
}

}  // namespace orrery::kineto::testing

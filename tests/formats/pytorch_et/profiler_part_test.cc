// The profiler trace inside a linked trace: found behind the rows, and copied as it is.
#include "formats/pytorch_et/profiler_part.h"

#include <doctest/doctest.h>

#include "formats/pytorch_et/linked_writer.h"
#include "formats/pytorch_et/reader.h"
#include "support/temp_dir.h"

namespace orrery::pytorch_et {
namespace {

trace::HostTrace read_part_of(const orrery::testing::TempDir& dir, const std::string& json, Interner& strings) {
  Diagnostics diagnostics;
  Result<trace::HostTrace> read = read_host_trace(dir.write("linked.json", json), strings, diagnostics);
  REQUIRE(read.ok());
  return std::move(*read);
}

bool has_part(const std::string& json) {
  const orrery::testing::TempDir dir;
  Interner strings;
  return has_profiler_part(read_part_of(dir, json, strings));
}

std::string copied(const std::string& profiler, std::vector<std::string> taken = {}) {
  const orrery::testing::TempDir dir;
  std::string text;
  REQUIRE(
      copy_profiler_part(dir.write("p.json", profiler), taken, [&](std::string_view bytes) { text += bytes; }).ok());
  return text;
}

}  // namespace

TEST_CASE("the profiler's events are looked for behind the rows, in the document itself") {
  const std::string rows = R"({"schema":"1.1.1","nodes":[{"id":1,"name":"\"traceEvents\":[]","ctrl_deps":1}, null])";
  CHECK_FALSE(has_part(rows + "}"));
  CHECK_FALSE(has_part(rows + R"(,"finish_ts":7})"));
  CHECK_FALSE(has_part(rows + R"(,"own":{"traceEvents":[]}})"));
  CHECK_FALSE(has_part(rows + R"(,"traceEvents":"none"})"));
  CHECK(has_part(rows + R"( , "finish_ts":7 , "traceEvents" : [ {} ]})"));
}

TEST_CASE("members are copied as they are, but for those that are there already; a bare list becomes a member") {
  CHECK(copied(R"({"schemaVersion":1,"pid":3,"traceEvents":[{"ph" : "X"},7],"own":{"a": 1.50}})", {"pid"}) ==
        ",\n\"traceEvents\": [\n{\"ph\" : \"X\"},\n7\n],\n\"schemaVersion\": 1,\n\"own\": {\"a\": 1.50}");
  CHECK(copied(R"([{"ph":"X"}])") == ",\n\"traceEvents\": [\n{\"ph\":\"X\"}\n]");
  CHECK(copied(R"({"traceEvents":[]})") == ",\n\"traceEvents\": [\n]");
}

TEST_CASE("of a damaged profiler trace all that stands before the damage is copied, and it is JSON") {
  CHECK(copied(R"({"schemaVersion":1,"traceEvents":[{"ts":1},{"ts":2},{"t)") ==
        ",\n\"traceEvents\": [\n{\"ts\":1},\n{\"ts\":2}\n],\n\"schemaVersion\": 1");
}

TEST_CASE("a trace that was linked before gets the profiler trace that it is linked with now") {
  const orrery::testing::TempDir dir;
  Interner strings;
  const trace::HostTrace again = read_part_of(
      dir,
      R"({"schema":"1.1.1","nodes":[{"id":1,"name":"x","ctrl_deps":1}],"traceEvents":[{"ts":1}],"distributedInfo":{"rank":4}})",
      strings);
  const LinkedWriteOptions options{.profiler = dir.write("p.json", R"({"traceEvents":[{"ts":2}]})")};
  REQUIRE(write_linked_trace(again, strings, dir.path("out.json"), options).ok());
  Diagnostics diagnostics;
  const Result<trace::HostTrace> read = read_host_trace(dir.path("out.json"), strings, diagnostics);
  REQUIRE(read.ok());
  CHECK(has_profiler_part(*read));
  CHECK(read->content.find("\"ts\":2") != std::string_view::npos);
  CHECK(read->content.find("\"ts\":1") == std::string_view::npos);
  CHECK(read->content.find("distributedInfo") == std::string_view::npos);
}

}  // namespace orrery::pytorch_et

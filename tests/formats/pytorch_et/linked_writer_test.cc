// A linked trace as JSON: what linking adds, and that everything else stays as it was written.
#include "formats/pytorch_et/linked_writer.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats/pytorch_et/reader.h"
#include "support/host_rows.h"
#include "support/temp_dir.h"

namespace orrery::pytorch_et {
namespace {

using orrery::testing::host_json;
using orrery::testing::HostRow;

struct Linked {
  explicit Linked(const std::string& json) : path(dir.write("host.json", json)) {
    Result<trace::HostTrace> read = read_host_trace(path, strings, diagnostics);
    REQUIRE(read.ok());
    trace = std::move(*read);
    trace.measured.resize(trace.size());
  }
  std::string written() {
    const Status status = write_linked_trace(trace, strings, dir.path("linked.json"));
    REQUIRE(status.ok());
    std::ifstream file(dir.path("linked.json"));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// The row at `index`, minified.
  std::string row(std::size_t index) {
    simdjson::dom::parser parser;
    const std::string text = written();
    return simdjson::minify(parser.parse(text).at_key("nodes").at(index));
  }

  orrery::testing::TempDir dir;
  std::string path;
  Interner strings;
  Diagnostics diagnostics;
  trace::HostTrace trace;
};

const HostRow kOperator{.id = 4, .parent = 2, .record_function = 9, .name = "aten::mm"};

TEST_CASE("linked writer: rows that were not measured keep all they had, with their new ids") {
  Linked linked(host_json(
      {{.id = 4, .parent = 2, .name = "a \"b\" \\u00e9", .members = R"("own": {"x": [1.50, "y\n"]}, "k\"ey": null)"}}));
  linked.trace.id[0] = 0;
  linked.trace.parent[0] = 7;
  const std::string row = linked.row(0);
  CHECK(row.find(R"("ctrl_deps":7)") != std::string::npos);
  CHECK(row.find(R"("id":0)") != std::string::npos);
  CHECK(row.find(R"("own":{"x":[1.5,"y\n"]},"k\"ey":null)") != std::string::npos);
  CHECK(row.find("inclusive_dur") == std::string::npos);
  CHECK(linked.written().find("1.50") != std::string::npos);  // copied, not converted
}

TEST_CASE("linked writer: measured rows gain times; a dependency that is not known is null") {
  Linked linked(host_json({kOperator}));
  trace::MeasuredRow& measured = linked.trace.measured[0];
  measured.measured = true;
  measured.ts = 3843458001171.108;
  measured.inclusive_dur = 12.5;
  measured.exclusive_dur = 0.1;
  CHECK(linked.row(0).ends_with(
      R"("id":4,"inclusive_dur":12.5,"exclusive_dur":0.1,"ts":3843458001171.108,"inter_thread_dep":null})"));
  measured.inter_thread_dep = 3;
  linked.trace.sync_ids.push_back(8);
  linked.trace.sync_ids.push_back(9);
  measured.first_sync = 1;
  measured.syncs = 1;
  CHECK(linked.row(0).ends_with(R"("inter_thread_dep":3,"sync_dep":[9]})"));
}

TEST_CASE("linked writer: device work has the members of its operator and a name of its own") {
  Linked linked(host_json({kOperator}));
  trace::MeasuredRow& measured = linked.trace.measured[0];
  linked.trace.name[0] = linked.strings.intern("ncclDevKernel_AllReduce");
  measured.measured = true;
  measured.category = linked.strings.intern("kernel");
  measured.phase = linked.strings.intern("X");
  measured.stream = 20;
  const std::string row = linked.row(0);
  CHECK(row.find("aten::mm") == std::string::npos);
  CHECK(row.find(R"("name":"rf_id","type":"uint64","value":9)") != std::string::npos);
  CHECK(row.ends_with(R"("name":"ncclDevKernel_AllReduce","ctrl_deps":2,"cat":"kernel","ph":"X","stream":20})"));
  measured.stream = trace::kNoNumber;
  measured.phase = 0;
  measured.has_group_name = true;  // an empty one
  CHECK(linked.row(0).ends_with(R"("ph":null,"stream":null,"pg_name":""})"));
}

TEST_CASE("linked writer: other members of the document stay, and so does their order") {
  Linked linked(host_json({kOperator}, "1.1.0-chakra.0.0.4", R"("extra": {"nodes": [1, 2]}, )"));
  const std::string text = linked.written();
  const auto at = [&](std::string_view part) { return text.find(part); };
  CHECK(at(R"("extra": {"nodes": [1, 2]})") < at(R"("nodes": [)"
                                                 "\n{"));
  CHECK(at(R"("schema": "1.1.0-chakra.0.0.4")") < at("\"extra\""));
  CHECK(at(R"("finish_ts": 20)") != std::string::npos);
}

TEST_CASE("linked writer: what it writes, the reader reads") {
  Linked linked(host_json({kOperator, {.id = 5, .parent = 4, .name = "b"}}));
  linked.trace.measured[1].measured = true;
  linked.trace.measured[1].ts = 5;
  linked.trace.measured[1].category = linked.strings.intern("kernel");
  linked.written();
  const Result<trace::HostTrace> again =
      read_host_trace(linked.dir.path("linked.json"), linked.strings, linked.diagnostics);
  REQUIRE(again.ok());
  CHECK(again->size() == 2);
  CHECK_FALSE(again->measured[0].measured);
  CHECK(again->measured[1].ts == 5);
  CHECK(again->record_function[0] == 9);
  CHECK(linked.diagnostics.empty());
}

TEST_CASE("linked writer: rows that could not be used are not written") {
  std::string json = host_json({kOperator});
  json.replace(json.find("\n], \"finish_ts\""), 2, ",\n17, {\"name\": \"no id\"}\n]");
  Linked linked(json);
  REQUIRE(linked.trace.size() == 1);
  const std::string text = linked.written();
  CHECK(text.find("no id") == std::string::npos);
  CHECK(text.find("finish_ts") != std::string::npos);
}

TEST_CASE(
    "linked writer: as chakra_trace_link lays it out, with members in their places and times as the profiler writes "
    "them") {
  Linked linked(host_json({kOperator, {.id = 5, .parent = 4, .name = "aten::add"}}));
  linked.trace.id[0] = 0;
  linked.trace.id[1] = 1;
  linked.trace.parent[1] = 0;
  trace::MeasuredRow& work = linked.trace.measured[1];
  work.measured = true;
  work.ts = 12;
  work.inclusive_dur = work.exclusive_dur = 2.5;
  work.category = linked.strings.intern("kernel");
  linked.trace.name[1] = linked.strings.intern("gemm");
  const auto written = [&](bool whole_times) {
    REQUIRE(write_linked_trace(linked.trace, linked.strings, linked.dir.path("c.json"),
                               {.as_chakra = true, .whole_times = whole_times})
                .ok());
    std::ifstream file(linked.dir.path("c.json"));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string text = written(false);
  CHECK(text.starts_with("{\n    \"schema\": "));
  CHECK(text.ends_with("\n}"));
  CHECK(text.find("\n    \"nodes\": [\n        {\n            \"id\": 0,\n") != std::string::npos);
  CHECK(text.find("            \"name\": \"gemm\",\n            \"ctrl_deps\": 0,\n") != std::string::npos);
  CHECK(
      text.find("            \"inclusive_dur\": 2.5,\n            \"exclusive_dur\": 2.5,\n            \"ts\": 12.0,\n"
                "            \"inter_thread_dep\": null,\n            \"cat\": \"kernel\",\n            \"ph\": null,\n"
                "            \"stream\": null\n        }\n    ]") != std::string::npos);
  CHECK(written(true).find("            \"ts\": 12,\n") != std::string::npos);
}

TEST_CASE("linked writer: a place that cannot be written to is an error, and nothing is left there") {
  Linked linked(host_json({kOperator}));
  CHECK_FALSE(write_linked_trace(linked.trace, linked.strings, linked.dir.path("no/such/folder.json")).ok());
  CHECK_FALSE(std::filesystem::exists(linked.dir.path("no")));
}

}  // namespace
}  // namespace orrery::pytorch_et

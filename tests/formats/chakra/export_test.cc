// What people and other tools get to see of a Chakra file.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "formats/chakra/feeder_writer.h"
#include "formats/chakra/json_lines.h"
#include "formats/chakra/reader.h"
#include "formats/chakra/timeline_log.h"
#include "formats/chakra/visualizer.h"
#include "stream.h"
#include "support/temp_dir.h"
#include "workload/program_builder.h"

using namespace orrery;
using namespace orrery::chakra;
using protozero::pbf_writer;

namespace {

std::string sample() {
  Stream stream("1.0.0");
  stream.node(5, NodeType::comm_coll, [](pbf_writer& node) {
    node.add_string(node_field::name, "a<b>-\"c\"\xc3\xa9");
    const std::uint64_t control[] = {2}, data[] = {3, 2};
    node.add_packed_uint64(node_field::ctrl_deps, control, control + 1);
    node.add_packed_uint64(node_field::data_deps, data, data + 2);
    node.add_uint64(node_field::duration_micros, 7);
    {
      pbf_writer inputs(node, node_field::inputs);
      inputs.add_string(tensors_field::values, "[1]");
    }
    integer(node, "comm_type", comm_type::all_gather);
    attribute(node, "ratio", [](pbf_writer& a) { a.add_float(attribute_field::float_val, 0.1f); });
    attribute(node, "big", [](pbf_writer& a) { a.add_double(attribute_field::double_val, 1e16); });
    attribute(node, "flags", [](pbf_writer& a) { pbf_writer(a, attribute_field::bool_list).add_bool(1, true); });
    attribute(node, "raw", [](pbf_writer& a) { a.add_string(attribute_field::bytes_val, "ab"); });
    attribute(node, "most", [](pbf_writer& a) { a.add_uint64(attribute_field::uint64_val, ~std::uint64_t{0}); });
    attribute(node, "less", [](pbf_writer& a) { a.add_sint32(attribute_field::sint32_val, -3); });
  });
  stream.node(6, static_cast<NodeType>(9), [](pbf_writer&) {});
  return stream.bytes;
}

template <typename Write>
std::string written(const std::string& bytes, const Write& write) {
  const testing::TempDir folder;
  auto out = OutputFile::create(folder.path("x"));
  REQUIRE(out.ok());
  const Status status = write(bytes, "w.et", "", *out);
  if (!status) return status.error().to_string();
  REQUIRE(out->commit().ok());
  return testing::read_file(folder.path("x"));
}

}  // namespace

TEST_CASE("a line per message, with names instead of numbers") {
  CHECK(
      written(sample(), write_json_lines) ==
      "{\"version\":\"1.0.0\"}\n"
      "{\"id\":5,\"name\":\"a<b>-\\\"c\\\"\xc3\xa9\",\"type\":\"COMM_COLL_NODE\",\"ctrl_deps\":[2],\"data_deps\":[3,2],"
      "\"duration_micros\":7,\"inputs\":{\"values\":\"[1]\",\"shapes\":\"\",\"types\":\"\"},"
      "\"attr\":{\"comm_type\":\"ALL_GATHER\",\"ratio\":0.10000000149011612,\"big\":1e+16,\"flags\":[true],\"raw\":"
      "\"ab\","
      "\"most\":18446744073709551615,\"less\":-3}}\n"
      "{\"id\":6,\"type\":9}\n");
}

TEST_CASE("protobuf's JSON form: camelCase, 64 bits as texts, one member per line") {
  const std::string text = written(sample(), jsonize);
  CHECK(text.starts_with(
      "{\n  \"version\": \"1.0.0\"\n}{\n  \"id\": \"5\",\n  \"name\": \"a<b>-\\\"c\\\"\\u00e9\",\n"
      "  \"type\": \"COMM_COLL_NODE\",\n  \"ctrlDeps\": [\n    \"2\"\n  ],\n  \"dataDeps\": [\n    \"3\",\n    \"2\"\n"
      "  ],\n  \"durationMicros\": \"7\",\n  \"inputs\": {\n    \"values\": \"[1]\"\n  },\n  \"attr\": [\n    {\n"
      "      \"name\": \"comm_type\",\n      \"int64Val\": \"2\"\n    },\n"));
  for (const char* part :
       {"\"floatVal\": 0.1\n", "\"doubleVal\": 1e+16\n",
        "\"boolList\": {\n        \"values\": [\n          true\n        ]\n      }", "\"bytesVal\": \"YWI=\"",
        "\"uint64Val\": \"18446744073709551615\"", "\"sint32Val\": -3\n"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.ends_with("]\n}{\n  \"id\": \"6\",\n  \"type\": 9\n}"));
  std::string empty;
  CHECK(append_metadata_json("", empty));
  CHECK(empty == "{}");
}

TEST_CASE("the visualizer's drawing: every dependency of the file, absent nodes too") {
  CHECK(written(sample(), visualize_dot) ==
        "digraph {\n\t5 [label=\"a\\<b\\>\\-\\\"c\\\"\xc3\xa9\" id=5 shape=record]\n\t3 -> 5 [arrowhead=normal]\n\t2 "
        "-> 5 "
        "[arrowhead=normal]\n"
        "\t2 -> 5 [arrowhead=tee]\n\t6 [label=\"\" id=6 shape=record]\n}\n");
}

TEST_CASE("networkx's file: nodes by first mention, edges by source, the last type of an edge") {
  const std::string text = written(sample(), visualize_graphml);
  CHECK(text.find("  <key id=\"d1\" for=\"edge\" attr.name=\"dependency\" attr.type=\"string\" />\n"
                  "  <key id=\"d0\" for=\"node\" attr.name=\"label\" attr.type=\"string\" />\n"
                  "  <graph edgedefault=\"directed\">\n"
                  "    <node id=\"5\">\n      <data key=\"d0\">a&lt;b&gt;-\"c\"\xc3\xa9</data>\n    </node>\n"
                  "    <node id=\"3\" />\n    <node id=\"2\" />\n"
                  "    <node id=\"6\">\n      <data key=\"d0\" />\n    </node>\n"
                  "    <edge source=\"3\" target=\"5\">\n      <data key=\"d1\">data</data>\n    </edge>\n"
                  "    <edge source=\"2\" target=\"5\">\n      <data key=\"d1\">control</data>\n    </edge>\n"
                  "  </graph>\n</graphml>\n") != std::string::npos);
}

TEST_CASE("ASTRA-sim's log as a timeline, in microseconds or as Chakra's tool has it") {
  const std::string log =
      "[info] started\nissue,sys->id=0, tick=1000, node->id=3, node->name=COMP_NODE_fwd\n"
      "issue,sys->id=1,tick=0,node->id=1,node->name=odd\n"
      "callback,sys->id=0,tick=3500,node->id=3,node->name=COMP_NODE_fwd\n";
  const auto timeline = [&](const std::string& text, TimelineOptions options, Diagnostics& remarks) {
    return written(text, [&](std::string_view bytes, const std::string& path, std::string_view, OutputFile& out) {
      return write_timeline(bytes, path, options, remarks, out);
    });
  };
  Diagnostics remarks;
  CHECK(looks_like_timeline_log(log.substr(15)));
  CHECK(timeline(log, {}, remarks) ==
        "{\"traceEvents\":[\n{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":1,\"dur\":2.5,\"name\":\"COMP_NODE_fwd\","
        "\"args\":{\"node\":3}},\n"
        "{\"ph\":\"M\",\"pid\":0,\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"compute\"}}\n]}\n");
  CHECK(remarks.count(kUnfinishedNode) == 1);
  CHECK(timeline(log, {.ranks = 2, .frequency_mhz = 1000, .like_chakra = true}, remarks) ==
        "{\"meta_user\": \"aras\", \"traceEvents\": [{\"pid\": 0, \"tid\": 3, \"ts\": 0.001, \"dur\": 0.0025, \"ph\": "
        "\"X\", \"name\": "
        "\"COMP_NODE_fwd\", \"args\": {\"ms\": 0.0025}}], \"meta_cpu_count\": 2}");
  CHECK(timeline("issue,x\n", {}, remarks).find("w.et: line 1: this is no event") != std::string::npos);
  CHECK(timeline(log, {.ranks = 1}, remarks).find("line 3: rank 1 of 1") != std::string::npos);
  CHECK(timeline("callback,a=0,a=1,a=2,a=x\n", {.ranks = 1, .like_chakra = true}, remarks)
            .find("node 2 was not issued") != std::string::npos);
}

TEST_CASE("the feeder's JSON is read back as it was written") {
  workload::ProgramBuilder builder;
  workload::Workload workload;
  builder.add({.id = 1,
               .kind = workload::ActivityKind::compute,
               .flags = workload::activity::kOnHost,
               .duration_ps = 3 * kPsPerUs,
               .start_ps = 0,
               .lane = 2});
  builder.add({.id = 4,
               .kind = workload::ActivityKind::collective,
               .flags = workload::activity::kHasBytes,
               .bytes = 9,
               .collective = workload::Collective::broadcast,
               .group_name = workload.strings.intern("7"),
               .excluded_dims = 5});
  builder.depend(1, workload::Dependency::control);
  builder.add({.id = 5,
               .kind = workload::ActivityKind::send,
               .flags = workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag,
               .bytes = 8,
               .peer = 3,
               .tag = 6});
  builder.depend(4, workload::Dependency::data);
  workload.programs.push_back(std::move(*std::move(builder).build()));
  workload.program_of_rank.push_back(0);
  workload.epoch_us = 1'731'600'000'000'000;
  const testing::TempDir folder;
  REQUIRE(write_feeder_json(workload, 0, folder.path("w.0.json")).ok());
  const auto again = read_workload(folder.path("w"), 1);
  REQUIRE(again.ok());
  const workload::Program& program = again->program(0);
  CHECK(again->epoch_us == workload.epoch_us);
  CHECK(program.duration_ps(0) == 3 * kPsPerUs);
  CHECK(program.lanes[0] == 2);
  CHECK(program.collectives[1] == workload::Collective::broadcast);
  CHECK(program.excluded_dims[1] == 5);
  CHECK(again->strings.text(program.group_names[1]) == "7");
  CHECK(program.peers[2] == 3);
  CHECK(program.tags[2] == 6);
  CHECK(program.dependencies.type(program.dependencies.incoming(1)[0]) ==
        static_cast<std::uint8_t>(workload::Dependency::control));
}

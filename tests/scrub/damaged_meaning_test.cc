// Files that are whole as texts and mean nothing: what no reader takes is refused, before anything is written.
#include <doctest/doctest.h>

#include <protozero/pbf_writer.hpp>

#include "formats/chakra/schema.h"
#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

using protozero::pbf_writer;
using testing::refusal;

std::string row(int id, int parent, const std::string& more = "") {
  return R"({"id":)" + std::to_string(id) + R"(,"name":"op","ctrl_deps":)" + std::to_string(parent) +
         R"(,"inputs":{"values":[],"shapes":[],"types":[]},"outputs":{"values":[],"shapes":[],"types":[]},"attrs":[{"name":"rf_id","type":"uint64","value":1}])" +
         more + "}";
}

std::string host_trace(const std::string& rows, const std::string& schema = "1.1.1-chakra.0.0.4",
                       const std::string& more = "") {
  return R"({"schema":")" + schema + R"(","pid":1,"nodes":[)" + rows + "]" + more + "}";
}

struct MeantNode {
  std::uint64_t id;
  std::vector<std::uint64_t> needs = {};
  std::int64_t bytes = 8;
};

std::string chakra_file(const std::vector<MeantNode>& nodes) {
  std::string file, metadata;
  pbf_writer(metadata).add_string(1, "0.0.4");
  const auto add = [&](const std::string& message) {
    protozero::add_varint_to_buffer(&file, message.size());
    file += message;
  };
  add(metadata);
  for (const MeantNode& node : nodes) {
    std::string message;
    pbf_writer writer(message);
    writer.add_uint64(chakra::node_field::id, node.id);
    writer.add_string(chakra::node_field::name, "all_reduce");
    writer.add_enum(chakra::node_field::type, static_cast<std::int32_t>(chakra::NodeType::comm_coll));
    writer.add_packed_uint64(chakra::node_field::data_deps, node.needs.begin(), node.needs.end());
    for (const auto& [name, value] :
         {std::pair<const char*, std::int64_t>{"comm_size", node.bytes}, {"comm_type", 0}}) {
      std::string attribute;
      pbf_writer(attribute).add_string(chakra::attribute_field::name, name);
      pbf_writer(attribute).add_int64(chakra::attribute_field::int64_val, value);
      writer.add_message(chakra::node_field::attr, attribute);
    }
    add(message);
  }
  return file;
}

std::string feeder_file(const std::string& nodes) { return R"({"workload_graph":[)" + nodes + "]}"; }

const std::string kMeasured = R"(,"ts":10,"inclusive_dur":5,"exclusive_dur":5,"inter_thread_dep":null)";

}  // namespace

TEST_CASE("host and linked traces: rows of one id, and schemas that nobody reads") {
  for (const std::string& measured : {std::string(), kMeasured}) {
    CAPTURE(measured);
    CHECK(refusal(host_trace(row(1, 1) + "," + row(2, 1, measured)), "x.json").empty());
    CHECK(refusal(host_trace(row(1, 1) + "," + row(2, 1, measured) + "," + row(2, 1)), "x.json")
              .find("two rows have the id 2") == 0);
    CHECK(refusal(host_trace(row(1, 1, measured), "0.9.1"), "x.json").find("schema 0.9.1") == 0);
    CHECK(refusal(host_trace(row(1, 1, measured), "ours"), "x.json").find("schema ours") == 0);
  }
}

TEST_CASE("linked traces with the profiler's events: times that no reader takes") {
  const auto with_event = [](const std::string& ts) {
    return host_trace(
        row(1, 1, kMeasured), "1.1.1-chakra.0.0.4",
        R"(,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" + ts + R"(,"dur":5}])");
  };
  CHECK(refusal(with_event("10"), "x.json").empty());
  CHECK_FALSE(refusal(with_event("1O"), "x.json").empty());
}

TEST_CASE("Chakra files: nodes that need none that is there, or each other, ids that come twice, negative sizes") {
  CHECK(refusal(chakra_file({{1}, {2, {1}}}), "x.et").empty());
  CHECK_FALSE(refusal(chakra_file({{1}, {2, {7}}}), "x.et").empty());
  CHECK_FALSE(refusal(chakra_file({{1, {2}}, {2, {1}}}), "x.et").empty());
  CHECK_FALSE(refusal(chakra_file({{1, {1}}}), "x.et").empty());
  CHECK_FALSE(refusal(chakra_file({{1}, {1}}), "x.et").empty());
  CHECK_FALSE(refusal(chakra_file({{1, {}, -8}}), "x.et").empty());
}

TEST_CASE("the feeder's JSON: the same") {
  const auto node = [](int id, const std::string& needs) {
    return R"({"Id":)" + std::to_string(id) + R"(,"Name":"op","NodeType":4,"ctrlDeps":[],"data_deps":[)" + needs +
           R"(],"runtime":5})";
  };
  CHECK(refusal(feeder_file(node(1, "") + "," + node(2, "1")), "x.json").empty());
  CHECK_FALSE(refusal(feeder_file(node(1, "") + "," + node(2, "7")), "x.json").empty());
  CHECK_FALSE(refusal(feeder_file(node(1, "2") + "," + node(2, "1")), "x.json").empty());
  CHECK_FALSE(refusal(feeder_file(node(1, "") + "," + node(1, "")), "x.json").empty());
}

TEST_CASE("communicators: none twice, no rank twice, and nothing that is no rank") {
  CHECK(refusal(R"({"1": [0, 1], "2": [2, 3]})", "groups.json").empty());
  for (const char* groups : {R"({"1": [0, 1], "1": [2, 3]})", R"({"1": [0, 0]})", R"({"1": [0, -1]})",
                             R"({"1": [0, 1.5]})", R"({"1": []})", R"({"0": [0, 1]})", R"({"1": [0, 99999999999]})"}) {
    CAPTURE(groups);
    CHECK_FALSE(refusal(groups, "groups.json").empty());
  }
}

TEST_CASE("traces of A-mpiP: records that lie further apart than any run is long") {
  const std::string first = "TRACE 0 -> 1 5.0 MPI_Barrier\n";
  CHECK(refusal(first + "TRACE 1 -> 2 6.0 MPI_Barrier\n", "trace_0").empty());
  CHECK(refusal(first + "TRACE 1 -> 2 1e13 MPI_Barrier\n", "trace_0").find("26 days") != std::string::npos);
}

TEST_CASE("a damaged file among others leaves older outputs as they were") {
  const orrery::testing::TempDir folder;
  const std::string sound = folder.write("in/a.json", host_trace(row(1, 1)));
  const auto first = testing::scrub_files({sound}, folder.path("out"));
  const std::string damaged = folder.write("in/b.json", host_trace(row(1, 1) + "," + row(1, 1)));
  Request request;
  request.inputs = {testing::input(sound), testing::input(damaged)};
  request.output_folder = folder.path("out");
  request.settings.key = testing::fixed_key(9);
  Diagnostics diagnostics;
  CHECK_FALSE(scrub_job(request, diagnostics).ok());
  CHECK(testing::inflated(first.paths[0]) == first.outputs[0]);
}

}  // namespace orrery::scrub

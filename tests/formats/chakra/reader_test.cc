#include "formats/chakra/reader.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "formats/chakra/diagnostics.h"
#include "formats/chakra/schema.h"
#include "stream.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::chakra;
using workload::ActivityKind;
using workload::Dependency;
namespace activity = workload::activity;

namespace {

Result<workload::Program> parse(const std::string& bytes, Interner& strings) {
  return parse_protobuf(bytes, "w.0.et", strings);
}

std::string error_of(const std::string& bytes) {
  Interner strings;
  const auto program = parse(bytes, strings);
  return program ? std::string() : program.error().to_string();
}

}  // namespace

TEST_CASE("a node's type, attributes in any integer width, and dependencies of both kinds are read") {
  Stream stream;
  stream.node(5, NodeType::comm_coll, [](protozero::pbf_writer& node) {
    node.add_string(node_field::name, "grads");
    const std::uint64_t data[] = {3};
    node.add_packed_uint64(node_field::data_deps, data, data + 1);
    node.add_uint64(node_field::ctrl_deps, 2);  // not packed: also valid
    integer(node, "comm_type", comm_type::reduce_scatter);
    attribute(node, "comm_size", [](protozero::pbf_writer& w) { w.add_uint64(attribute_field::uint64_val, 4096); });
    attribute(node, "pg_name", [](protozero::pbf_writer& w) { w.add_string(attribute_field::string_val, "7"); });
    attribute(node, "comm_priority", [](protozero::pbf_writer& w) { w.add_sint32(attribute_field::sint32_val, -4); });
    attribute(node, "involved_dim", [](protozero::pbf_writer& w) {
      protozero::pbf_writer list(w, attribute_field::bool_list);
      list.add_bool(1, true);
      list.add_bool(1, false);
    });
    attribute(node, "something_else", [](protozero::pbf_writer& w) { w.add_double(attribute_field::double_val, 1.5); });
  });
  stream.node(2, NodeType::comp, [](protozero::pbf_writer& node) {
    node.add_uint64(node_field::duration_micros, 12);
    attribute(node, "is_cpu_op", [](protozero::pbf_writer& w) { w.add_bool(attribute_field::bool_val, true); });
  });
  stream.node(3, NodeType::comm_send, [](protozero::pbf_writer& node) {
    integer(node, "comm_dst", 1);
    integer(node, "comm_tag", 99);
    integer(node, "comm_size", 8);
    integer(node, "tensor_size", 77);  // of no meaning for a message
  });
  Interner strings;
  const auto read = parse(stream.bytes, strings);
  REQUIRE(read.ok());
  const workload::Program& program = *read;
  REQUIRE(program.size() == 3);
  CHECK(program.duration_ps(0) == 12 * kPsPerUs);
  CHECK(program.has(0, activity::kOnHost));
  CHECK(program.kinds[1] == ActivityKind::send);
  CHECK(program.peers[1] == 1);
  CHECK(program.tags[1] == 99);
  CHECK(program.bytes[1] == 8);
  CHECK(program.kinds[2] == ActivityKind::collective);
  CHECK(program.collectives[2] == workload::Collective::reduce_scatter);
  CHECK(program.bytes[2] == 4096);
  CHECK(program.priorities[2] == -4);
  CHECK(program.excluded_dims[2] == 2);
  CHECK(strings.text(program.names[2]) == "grads");
  CHECK(strings.text(program.group_names[2]) == "7");
  const graph::SlotRange needs = program.dependencies.incoming(2);
  REQUIRE(needs.size() == 2);
  CHECK(program.dependencies.source(needs[0]) == 1);
  CHECK(program.dependencies.source(needs[1]) == 0);
}

TEST_CASE("group 0 is the world, however it is written") {
  for (const bool as_text : {true, false}) {
    Stream stream;
    stream.node(1, NodeType::comm_coll, [&](protozero::pbf_writer& node) {
      if (as_text)
        attribute(node, "pg_name", [](protozero::pbf_writer& w) { w.add_string(attribute_field::string_val, "0"); });
      else integer(node, "pg_name", 0);
    });
    Interner strings;
    const auto program = parse(stream.bytes, strings);
    REQUIRE(program.ok());
    CHECK(program->group_names[0] == 0);
  }
}

TEST_CASE("what cannot be used is named with its byte and node") {
  CHECK(error_of("").find("empty") != std::string::npos);
  CHECK(error_of("\x7f").find("byte 0: the file ends inside a record") != std::string::npos);
  Stream good;
  good.node(1, NodeType::comp);
  CHECK(error_of(good.bytes).empty());
  CHECK(error_of(good.bytes.substr(0, good.bytes.size() - 1)).find("w.0.et: byte 8: the file ends inside a record") !=
        std::string::npos);

  const auto with = [](NodeType type, auto fill) {
    Stream stream;
    stream.node(4, type, fill);
    return error_of(stream.bytes);
  };
  CHECK(with(NodeType::comm_coll, [](auto& n) { integer(n, "comm_size", -1); }).find("node 4: comm_size is negative") !=
        std::string::npos);
  CHECK(with(NodeType::comm_coll, [](auto& n) { integer(n, "comm_type", 77); }).find("comm_type 77 is unknown") !=
        std::string::npos);
  CHECK(with(NodeType::comm_send, [](auto& n) { integer(n, "comm_size", 5); }).find("without comm_tag") !=
        std::string::npos);
  CHECK(with(NodeType::comm_recv, [](auto& n) { integer(n, "comm_src", -3); }).find("-3 is not a rank") !=
        std::string::npos);
  CHECK(with(NodeType::comm_send, [](auto& n) { integer(n, "comm_dst", -1); }).find("-1 is not a rank") !=
        std::string::npos);
  CHECK(with(NodeType::comp, [](auto& n) {
          attribute(n, "num_ops", [](protozero::pbf_writer& w) { w.add_double(attribute_field::double_val, 2.5); });
        }).find("num_ops is not a whole number") != std::string::npos);
  CHECK(with(NodeType::comp, [](auto& n) {
          n.add_uint64(node_field::duration_micros, ~std::uint64_t{0});
        }).find("26 days") != std::string::npos);
  CHECK(with(NodeType::comp, [](auto& n) {
          n.add_uint64(node_field::data_deps, 9);
        }).find("node 4 depends on node 9, which does not exist") != std::string::npos);

  // A text where a number belongs.
  CHECK(with(NodeType::comp, [](auto& n) {
          n.add_string(node_field::duration_micros, "soon");
        }).find("is not a Chakra node") != std::string::npos);
  CHECK(with(NodeType::comm_coll, [](auto& n) {
          attribute(n, "comm_size",
                    [](protozero::pbf_writer& w) { w.add_string(attribute_field::int64_val, "large"); });
        }).find("is not a Chakra node") != std::string::npos);

  // A message that ends before the value of a bool.
  CHECK(with(NodeType::comp, [](auto& n) {
          const std::string cut = std::string("\x0a\x09is_cpu_op\xd8\x01", 13);
          n.add_message(node_field::attr, cut);
        }).find("is not a Chakra node") != std::string::npos);

  Stream empty;
  empty.append("");
  CHECK(error_of(empty.bytes).find("byte 8: this record is not a Chakra node (it is empty") != std::string::npos);

  Stream garbage;
  garbage.append("\xff\xff\xff\xff");
  CHECK(error_of(garbage.bytes).find("is not a Chakra node") != std::string::npos);
}

TEST_CASE("the feeder's JSON says the same") {
  const std::string json = R"({"workload_graph": [
    {"Id": 1, "Name": "fwd", "NodeType": 4, "runtime": 5, "is_cpu_op": false},
    {"Id": 2, "Name": "ar", "NodeType": 7, "ctrlDeps": [1], "data_deps": [], "comm_type": 0, "comm_size": 1024, "pg_name": "3"}]})";
  Interner strings;
  const auto program = parse_feeder_json(json, "w.0.json", strings);
  REQUIRE(program.ok());
  CHECK(program->duration_ps(0) == 5 * kPsPerUs);
  CHECK(program->collectives[1] == workload::Collective::all_reduce);
  CHECK(program->bytes[1] == 1024);
  CHECK(program->dependencies.incoming(1).size() == 1);
  const auto wrong = [&](const char* text) { return parse_feeder_json(text, "w.json", strings).error().to_string(); };
  CHECK(wrong("{").find("not JSON") != std::string::npos);
  CHECK(wrong("{}").find("no workload_graph") != std::string::npos);
  CHECK(wrong(R"({"workload_graph": [{"Id": 1}]})").find("entry 0 of workload_graph (node 1): has no NodeType") !=
        std::string::npos);
  CHECK(wrong(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "data_deps": [7]}]})").find("depends on node 7") !=
        std::string::npos);
}

TEST_CASE("ranks with the same content share one program, and a missing rank is named") {
  const orrery::testing::TempDir dir;
  Stream same, other;
  same.node(1, NodeType::comp);
  other.node(2, NodeType::comp);
  dir.write("w.0.et", same.bytes);
  dir.write("w.1.et", same.bytes);
  dir.write("w.2.et", other.bytes);
  REQUIRE(::symlink(dir.path("w.2.et").c_str(), dir.path("w.3.et").c_str()) == 0);
  const std::string prefix = dir.path("w");
  const auto workload = read_workload(prefix, 4);
  REQUIRE(workload.ok());
  CHECK(workload->programs.size() == 2);
  CHECK(workload->program(1).ids[0] == 1);
  CHECK(workload->program(3).ids[0] == 2);
  const auto missing = read_workload(prefix, 5);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message == "of 5 ranks this one is missing: 4");
}

TEST_CASE("recorded starts are kept since the earliest of all ranks, and lanes by where a node runs") {
  constexpr std::uint64_t kNow = 1'731'600'000'000'000;  // microseconds since 1970
  const auto node = [](std::uint64_t start, bool on_host) {
    return [=](protozero::pbf_writer& w) {
      if (start != 0) w.add_uint64(node_field::start_time_micros, start);
      attribute(w, "is_cpu_op", [&](protozero::pbf_writer& a) { a.add_bool(attribute_field::bool_val, on_host); });
      integer(w, "tid", 3);
      integer(w, "stream", 7);
    };
  };
  Stream first, second;
  first.node(1, NodeType::comp, node(kNow + 50, true))
      .node(2, NodeType::comp, node(0, false))
      .node(3, NodeType::comp, node(kNow + 20, false));
  second.node(1, NodeType::comp, node(kNow + 5, false));
  const orrery::testing::TempDir dir;
  dir.write("w.0.et", first.bytes);
  dir.write("w.1.et", second.bytes);
  const auto workload = read_workload(dir.path("w"), 2);
  REQUIRE(workload.ok());
  CHECK(workload->epoch_us == kNow + 5);
  const workload::Program& program = workload->program(0);
  CHECK(program.starts_ps[0] == 45 * kPsPerUs);
  CHECK(program.starts_ps[1] == workload::kNotRecorded);
  CHECK(program.starts_ps[2] == 15 * kPsPerUs);
  CHECK(workload->program(1).starts_ps[0] == 0);
  CHECK(program.lanes[0] == 3);
  CHECK(program.lanes[2] == 7);
}

TEST_CASE("what is odd but usable is counted if somebody counts") {
  Stream stream;
  stream.node(4, NodeType::comm_send, [](protozero::pbf_writer& node) {
    node.add_uint64(node_field::ctrl_deps, 9);
    node.add_uint64(node_field::start_time_micros, 5);
    integer(node, "stream", std::int64_t{1} << 40);
  });
  stream.node(5, static_cast<NodeType>(9), [](protozero::pbf_writer& node) {
    node.add_uint64(node_field::data_deps, 4);
    node.add_uint64(node_field::start_time_micros, 1'731'600'000'000'000);
  });
  CHECK(error_of(stream.bytes).find("without comm_tag") != std::string::npos);
  Diagnostics remarks;
  Interner strings;
  const auto program = parse_protobuf(stream.bytes, "w.0.et", strings, {.diagnostics = &remarks});
  REQUIRE(program.ok());
  CHECK(program->dependencies.incoming(0).size() == 0);
  CHECK(program->dependencies.incoming(1).size() == 1);
  CHECK(program->starts_ps[0] == 0);
  CHECK(program->starts_ps[1] == workload::kNotRecorded);
  CHECK(program->kinds[1] == ActivityKind::none);
  for (const DiagnosticKind* kind :
       {&kDanglingControl, &kIncompleteMessage, &kStartBeyondRange, &kUnknownNodeType, &kLaneBeyondRange}) {
    CAPTURE(kind->code);
    CHECK(remarks.count(*kind) == 1);
  }
  CHECK(remarks.sorted()[0].example == "w.0.et: node 4 depends on node 9");
}

TEST_CASE("a chain of a million nodes is a chain, from either end") {
  constexpr std::uint64_t kLength = 1'000'000;
  for (const bool backwards : {false, true}) {
    Stream stream;
    for (std::uint64_t i = 0; i < kLength; ++i) {
      const std::uint64_t id = backwards ? kLength - 1 - i : i;
      stream.node(id, NodeType::comp, [&](protozero::pbf_writer& node) {
        if (id > 0) node.add_uint64(node_field::data_deps, id - 1);
      });
    }
    Interner strings;
    const auto program = parse(stream.bytes, strings);
    REQUIRE(program.ok());
    CHECK(program->size() == kLength);
    CHECK(program->dependencies.incoming(kLength - 1).size() == 1);
  }
}

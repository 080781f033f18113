#include "formats/chakra/reader.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <protozero/pbf_writer.hpp>

#include "formats/chakra/schema.h"
#include "support/temp_dir.h"

using namespace orrery;
using namespace orrery::chakra;
using graph::ActivityKind;
using graph::Dependency;
namespace activity = graph::activity;

namespace {

// Writes messages as they lie in a file: each with its length in front.
class Stream {
 public:
  Stream() {
    append(
        "\x0a\x05"
        "0.0.4");
  }  // GlobalMetadata{version}

  template <typename Fill>
  Stream& node(std::uint64_t id, NodeType type, Fill fill) {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_uint64(node_field::id, id);
    writer.add_enum(node_field::type, static_cast<std::int32_t>(type));
    fill(writer);
    append(message);
    return *this;
  }
  Stream& node(std::uint64_t id, NodeType type) {
    return node(id, type, [](protozero::pbf_writer&) {});
  }
  void append(const std::string& message) {
    std::string length;
    protozero::add_varint_to_buffer(&length, message.size());
    bytes += length + message;
  }

  std::string bytes;
};

template <typename Set>
void attribute(protozero::pbf_writer& node, const char* name, Set set) {
  protozero::pbf_writer writer(node, node_field::attr);
  writer.add_string(attribute_field::name, name);
  set(writer);
}

void integer(protozero::pbf_writer& node, const char* name, std::int64_t value) {
  attribute(node, name, [&](protozero::pbf_writer& w) { w.add_int64(attribute_field::int64_val, value); });
}

Result<graph::Program> parse(const std::string& bytes, Interner& strings) { return parse_protobuf(bytes, "w.0.et", strings); }

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
  const graph::Program& program = *read;
  REQUIRE(program.size() == 3);
  CHECK(program.durations_ps[0] == 12 * kPsPerUs);
  CHECK(program.has(0, activity::kOnHost));
  CHECK(program.kinds[1] == ActivityKind::send);
  CHECK(program.peers[1] == 1);
  CHECK(program.tags[1] == 99);
  CHECK(program.bytes[1] == 8);
  CHECK(program.kinds[2] == ActivityKind::collective);
  CHECK(program.collectives[2] == graph::Collective::reduce_scatter);
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
      if (as_text) attribute(node, "pg_name", [](protozero::pbf_writer& w) { w.add_string(attribute_field::string_val, "0"); });
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
  CHECK(error_of(good.bytes.substr(0, good.bytes.size() - 1)).find("w.0.et: byte 8: the file ends inside a record") != std::string::npos);

  const auto with = [](NodeType type, auto fill) {
    Stream stream;
    stream.node(4, type, fill);
    return error_of(stream.bytes);
  };
  CHECK(with(NodeType::comm_coll, [](auto& n) { integer(n, "comm_size", -1); }).find("node 4: comm_size is negative") != std::string::npos);
  CHECK(with(NodeType::comm_coll, [](auto& n) { integer(n, "comm_type", 77); }).find("comm_type 77 is unknown") != std::string::npos);
  CHECK(with(NodeType::comm_send, [](auto& n) { integer(n, "comm_size", 5); }).find("without comm_tag") != std::string::npos);
  CHECK(with(NodeType::comm_recv, [](auto& n) { integer(n, "comm_src", -3); }).find("-3 is not a rank") != std::string::npos);
  CHECK(with(NodeType::comp, [](auto& n) {
          attribute(n, "num_ops", [](protozero::pbf_writer& w) { w.add_double(attribute_field::double_val, 2.5); });
        }).find("num_ops is not a whole number") != std::string::npos);
  CHECK(with(NodeType::comp, [](auto& n) { n.add_uint64(node_field::duration_micros, ~std::uint64_t{0}); }).find("26 days") !=
        std::string::npos);
  CHECK(with(NodeType::comp, [](auto& n) {
          n.add_uint64(node_field::data_deps, 9);
        }).find("node 4 depends on node 9, which does not exist") != std::string::npos);

  // A text where a number belongs.
  CHECK(with(NodeType::comp, [](auto& n) { n.add_string(node_field::duration_micros, "soon"); }).find("is not a Chakra node") !=
        std::string::npos);
  CHECK(with(NodeType::comm_coll, [](auto& n) {
          attribute(n, "comm_size", [](protozero::pbf_writer& w) { w.add_string(attribute_field::int64_val, "large"); });
        }).find("is not a Chakra node") != std::string::npos);

  // A message that ends before the value of a bool.
  CHECK(with(NodeType::comp, [](auto& n) {
          const std::string cut = std::string("\x0a\x09is_cpu_op\xd8\x01", 13);
          n.add_message(node_field::attr, cut);
        }).find("is not a Chakra node") != std::string::npos);

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
  CHECK(program->durations_ps[0] == 5 * kPsPerUs);
  CHECK(program->collectives[1] == graph::Collective::all_reduce);
  CHECK(program->bytes[1] == 1024);
  CHECK(program->dependencies.incoming(1).size() == 1);
  const auto wrong = [&](const char* text) { return parse_feeder_json(text, "w.json", strings).error().to_string(); };
  CHECK(wrong("{").find("not JSON") != std::string::npos);
  CHECK(wrong("{}").find("no workload_graph") != std::string::npos);
  CHECK(wrong(R"({"workload_graph": [{"Id": 1}]})").find("entry 0 of workload_graph (node 1): has no NodeType") != std::string::npos);
  CHECK(wrong(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "data_deps": [7]}]})").find("depends on node 7") != std::string::npos);
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
  CHECK(count_ranks(prefix) == 4);
  const auto workload = read_workload(prefix, 4);
  REQUIRE(workload.ok());
  CHECK(workload->programs.size() == 2);
  CHECK(workload->program(1).ids[0] == 1);
  CHECK(workload->program(3).ids[0] == 2);
  const auto missing = read_workload(prefix, 5);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message == "there is no workload file for rank 4 of 5");
}

#include "formats/chakra/upgrade.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "formats/chakra/message_view.h"
#include "formats/chakra/reader.h"
#include "stream.h"

using namespace orrery;
using namespace orrery::chakra;
using protozero::pbf_writer;

namespace {

/// The records as a file again.
std::string upgraded(const std::string& bytes, const std::string& schema = {}) {
  Stream out;
  out.bytes.clear();
  const Status status = upgrade(bytes, "w.et", schema, [&](std::string_view message, bool) -> Status {
    out.append(std::string(message));
    return {};
  });
  return status ? out.bytes : status.error().to_string();
}

/// A field that no schema has had, of any wire type.
void add_unknown_field(pbf_writer& message) {
  const auto number = *rc::gen::inRange<std::uint32_t>(40, 2000);
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return message.add_uint64(number, *rc::gen::arbitrary<std::uint64_t>());
    case 1: return message.add_fixed32(number, *rc::gen::arbitrary<std::uint32_t>());
    case 2: return message.add_fixed64(number, *rc::gen::arbitrary<std::uint64_t>());
    default: return message.add_string(number, *rc::gen::string<std::string>());
  }
}

}  // namespace

TEST_CASE("messages of today's schema pass through as they are, unknown fields and all") {
  CHECK(rc::check([] {
    Stream stream(*rc::gen::element<std::string>("0.0.4", "1.0.0", "1.2.3"));
    const int nodes = *rc::gen::inRange(0, 6);
    for (int i = 0; i < nodes; ++i) {
      stream.node(
          static_cast<std::uint64_t>(i), static_cast<NodeType>(*rc::gen::inRange(0, 12)), [&](pbf_writer& node) {
            for (int k = *rc::gen::inRange(0, 4); k > 0; --k) {
              add_unknown_field(node);
              attribute(node, "comm_type",
                        [](pbf_writer& a) { a.add_int64(attribute_field::int64_val, 2), add_unknown_field(a); });
            }
          });
    }
    RC_ASSERT(upgraded(stream.bytes) == stream.bytes);
  }));
}

TEST_CASE("only the type and the kind of collective change when old words are brought to today's") {
  CHECK(rc::check([] {
    std::string unknown;
    {
      pbf_writer fields(unknown);
      for (int k = *rc::gen::inRange(0, 4); k > 0; --k) add_unknown_field(fields);
    }
    Stream stream("0.0.2");
    stream.node(9, static_cast<NodeType>(6), [&](pbf_writer& node) {
      attribute(node, "comm_type", [](pbf_writer& a) { a.add_int64(attribute_field::int64_val, 1); });
      integer(node, "mine", 77);
    });
    stream.bytes.clear();
    std::string metadata, node;
    pbf_writer(metadata).add_string(metadata_field::version, "0.0.2");
    stream.append(metadata);
    {
      pbf_writer writer(node);
      writer.add_uint64(node_field::id, 9);
      writer.add_uint64(node_field::type, 6);
      integer(writer, "comm_type", 1);
      integer(writer, "mine", 77);
    }
    stream.append(node + unknown);
    const std::string today = upgraded(stream.bytes);
    RC_ASSERT(today.find("0.0.4") == 3);
    RecordReader records(today);
    records.next();
    const std::string_view message = *records.next();
    NodeView view;
    RC_ASSERT(view_node(message, view));
    RC_ASSERT(view.id == 9u);
    RC_ASSERT(view.type == static_cast<std::uint64_t>(NodeType::comm_coll));
    RC_ASSERT(view.attributes.size() == 2u);
    RC_ASSERT(view.attributes[0].scalar.bits == static_cast<std::uint64_t>(comm_type::all_to_all));
    RC_ASSERT(view.attributes[1].scalar.bits == 77u);
    RC_ASSERT(message.ends_with(unknown));
    RC_ASSERT(upgraded(today) == today);
  }));
}

TEST_CASE("a file without metadata gets some, and a node's own fields become attributes") {
  Stream stream;
  stream.bytes.clear();
  stream.node(4, static_cast<NodeType>(6), [](pbf_writer& node) {
    node.add_uint64(flat_field::parent, 3);
    node.add_uint64(flat_field::run_time, 12);
    node.add_uint32(5, 2);  // tensor_loc
    node.add_uint64(flat_field::comm_type, 4);
    node.add_bool(flat_field::involved_dim, true);
    node.add_bool(flat_field::involved_dim, false);
    node.add_uint32(flat_field::communicator_id, 6);
    node.add_uint32(flat_field::comm_size, 99);
    node.add_uint64(33, 1);
  });
  const std::string today = upgraded(stream.bytes);
  RecordReader records(today);
  CHECK(records.next() ==
        "\x0a\x05"
        "0.0.4");
  NodeView node;
  const std::string_view message = *records.next();
  REQUIRE(view_node(message, node));
  CHECK(node.data_deps == std::vector<std::uint64_t>{3});
  CHECK(node.duration_micros == 12);
  std::string names;
  for (const AttributeView& attribute : node.attributes) names += std::string(attribute.name) + " ";
  CHECK(names == "tensor_loc comm_type pg_name comm_size involved_dim ");
  CHECK(node.attributes[1].scalar.bits == comm_type::reduce_scatter);
  CHECK(node.attributes[2].scalar.bytes == "6");
  CHECK(message.ends_with(std::string("\x88\x02\x01", 3)));  // 33: 1
}

TEST_CASE("what is cut off or damaged is named") {
  Stream stream;
  stream.node(1, NodeType::comp);
  CHECK(upgraded(stream.bytes.substr(0, stream.bytes.size() - 1)).find("w.et: byte 8: the file ends inside a record") !=
        std::string::npos);
  CHECK(upgraded("").find("the file is empty") != std::string::npos);
}

TEST_CASE("a version that could be read as fields is still a version") {
  Stream stream("\x88QXXX");  // 1297: 88, 11: 88
  CHECK(upgraded(stream.bytes) == stream.bytes);
}

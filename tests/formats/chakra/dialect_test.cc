// Files of every schema there has been, made by hand from docs/formats/chakra.md.
#include "formats/chakra/dialect.h"

#include <doctest/doctest.h>

#include "formats/chakra/diagnostics.h"
#include "formats/chakra/reader.h"
#include "stream.h"

using namespace orrery;
using namespace orrery::chakra;
using protozero::pbf_writer;
using workload::ActivityKind;
using workload::Collective;

namespace {

struct Read {
  Interner strings;
  Diagnostics remarks;
  Result<workload::Program> program = Error{"not read"};
};

Read read(const std::string& bytes, const std::string& schema = {}) {
  Read out;
  out.program = parse_protobuf(bytes, "w.0.et", out.strings, {.schema = schema, .diagnostics = &out.remarks});
  return out;
}

/// Without the metadata that others begin with.
struct BareStream : Stream {
  BareStream() { bytes.clear(); }
};

// 2023-01: {1: id, 2: name, 3: type, 4: parent, 13: comm_type, 14: involved_dim, 15: communicator, 18: comm_size, ...}
std::string flat_file() {
  BareStream stream;
  stream.node(0, static_cast<NodeType>(3), [](pbf_writer& w) {
    w.add_string(flat_field::name, "compute");
    w.add_uint64(flat_field::run_time, 12);
    w.add_uint64(flat_field::num_ops, 99);
  });
  stream.node(1, static_cast<NodeType>(6), [](pbf_writer& w) {
    w.add_string(flat_field::name, "collective");
    w.add_uint64(flat_field::parent, 0);
    w.add_uint64(flat_field::comm_type, 3);
    w.add_bool(flat_field::involved_dim, true);
    w.add_bool(flat_field::involved_dim, false);
    w.add_uint32(flat_field::communicator_id, 5);
    w.add_uint32(flat_field::comm_size, 4096);
  });
  stream.node(2, static_cast<NodeType>(4), [](pbf_writer& w) {
    w.add_uint32(flat_field::comm_dst, 3);
    w.add_uint32(flat_field::comm_tag, 8);
    w.add_uint32(flat_field::comm_size, 64);
  });
  return stream.bytes;
}

void typed(pbf_writer& node, const char* name, std::uint32_t type, auto... add) {
  pbf_writer attribute(node, typed_field::attribute);
  attribute.add_string(typed_attribute_field::name, name);
  attribute.add_enum(typed_attribute_field::type, static_cast<std::int32_t>(type));
  (add(attribute, typed_attribute_field::first_value + type), ...);
}

auto number(std::int64_t value) {
  return [=](pbf_writer& w, std::uint32_t field) { w.add_int64(field, value); };
}

/// `integer`: the type's number of INT, which tells 0.0.2 (1) from 0.0.3 (3, or 2 before there was UINT).
std::string typed_file(std::uint32_t integer, std::uint32_t compute_type, bool with_metadata) {
  BareStream stream;
  if (with_metadata) stream.append("");
  stream.node(7, static_cast<NodeType>(compute_type), [&](pbf_writer& w) {
    w.add_string(typed_field::inputs, "[1, 2]");
    typed(w, "runtime", integer, number(12));
    typed(w, "num_ops", integer, number(99));
  });
  stream.node(8, static_cast<NodeType>(compute_type + 3), [&](pbf_writer& w) {
    w.add_uint64(typed_field::parent, 7);
    typed(w, "comm_type", integer, number(1));
    typed(w, "comm_size", integer, number(4096));
    typed(w, "involved_dim", integer + 5, number(1), number(0), number(1));
  });
  return stream.bytes;
}

void check_typed(const Read& got) {
  REQUIRE(got.program.ok());
  const workload::Program& program = *got.program;
  CHECK(program.kinds[0] == ActivityKind::compute);
  CHECK(program.duration_ps(0) == 12 * kPsPerUs);
  CHECK(program.operations[0] == 99);
  CHECK(program.kinds[1] == ActivityKind::collective);
  CHECK(program.collectives[1] == Collective::all_to_all);
  CHECK(program.bytes[1] == 4096);
  CHECK(program.excluded_dims[1] == 2);
  CHECK(program.dependencies.incoming(1).size() == 1);
  CHECK(got.remarks.empty());
}

}  // namespace

TEST_CASE("0.0.1: no metadata, a field per attribute, its own numbers for types and collectives") {
  const Read got = read(flat_file());
  REQUIRE(got.program.ok());
  const workload::Program& program = *got.program;
  REQUIRE(program.size() == 3);
  CHECK(program.kinds[0] == ActivityKind::compute);
  CHECK(program.duration_ps(0) == 12 * kPsPerUs);
  CHECK(program.operations[0] == 99);
  CHECK(program.kinds[1] == ActivityKind::collective);
  CHECK(program.collectives[1] == Collective::all_gather);
  CHECK(program.bytes[1] == 4096);
  CHECK(program.excluded_dims[1] == 2);
  CHECK(got.strings.text(program.group_names[1]) == "5");
  CHECK(got.strings.text(program.names[1]) == "collective");
  CHECK(program.dependencies.incoming(1).size() == 1);
  CHECK(program.kinds[2] == ActivityKind::send);
  CHECK(program.peers[2] == 3);
  CHECK(program.tags[2] == 8);
  CHECK(got.remarks.empty());
}

TEST_CASE("0.0.2 and 0.0.3: typed attributes; the types tell which") {
  check_typed(read(typed_file(1, 3, false)));
  check_typed(read(typed_file(2, 4, false)));
  check_typed(read(typed_file(3, 4, true)));
}

TEST_CASE("today's layout with a version says what its enumerators mean; the user's word counts more") {
  const auto collective = [](const std::string& version, std::int32_t type, std::int64_t comm) {
    Stream stream(version);
    stream.node(1, static_cast<NodeType>(type), [&](pbf_writer& w) { integer(w, "comm_type", comm); });
    return stream.bytes;
  };
  const auto kind = [](const Read& got) { return got.program.ok() ? got.program->kinds[0] : ActivityKind::none; };
  CHECK(read(collective("0.0.1", 6, 2)).program->collectives[0] == Collective::all_to_all);
  CHECK(read(collective("0.0.2", 6, 2)).program->collectives[0] == Collective::all_gather);
  CHECK(read(collective("0.0.3", 7, 4)).program->collectives[0] == Collective::broadcast);
  CHECK(read(collective("0.0.4", 7, 4)).program->collectives[0] == Collective::scatter);
  CHECK(read(collective("1.0.0", 7, 6)).program->collectives[0] == Collective::all_to_all);
  CHECK(kind(read(collective("1.0.0", 6, 3), "0.0.2")) == ActivityKind::collective);
  CHECK(read(collective("0.0.2", 6, 4)).program.error().message == "node 1: comm_type 4 is unknown");
  CHECK(read(collective("0.0.1", 6, 0)).program.error().message == "node 1: comm_type 0 is unknown");
}

TEST_CASE("what cannot be recognised is said") {
  const auto remark = [](const Read& got) {
    REQUIRE(got.program.ok());
    return got.remarks.count(kUnsureSchema) == 1 ? got.remarks.sorted()[0].example : std::string();
  };
  CHECK(remark(read(Stream("7.1").node(1, NodeType::comp).bytes)).find("version \"7.1\" of the schema is unknown") !=
        std::string::npos);
  BareStream bare;
  bare.node(1, NodeType::comp, [](pbf_writer& w) { w.add_string(2, "x"); });
  CHECK(remark(read(bare.bytes)) == "w.0.et: there is no metadata and nothing tells the schema; read as 0.0.1");
  CHECK(remark(read(bare.bytes, "0.0.1")).empty());
  BareStream strings_only;
  strings_only.node(1, static_cast<NodeType>(3),
                    [](pbf_writer& w) { w.add_string(typed_field::input_shapes, "[[2]]"); });
  CHECK(remark(read(strings_only.bytes)) == "w.0.et: nothing tells schema 0.0.2 from 0.0.3; read as 0.0.2");
}

TEST_CASE("metadata of 2023-10 had its attributes under 1") {
  BareStream stream;
  std::string metadata;
  {
    pbf_writer writer(metadata);
    pbf_writer attribute(writer, 1);
    attribute.add_string(attribute_field::name, "schema");
    attribute.add_string(attribute_field::string_val, "1.0.2-chakra.0.0.4");
  }
  stream.append(metadata);
  stream.node(1, NodeType::comm_coll, [](pbf_writer& w) { integer(w, "comm_type", comm_type::all_to_all); });
  const Read got = read(stream.bytes);
  REQUIRE(got.program.ok());
  CHECK(got.program->size() == 1);
  CHECK(got.program->collectives[0] == Collective::all_to_all);
  CHECK(got.remarks.empty());
}

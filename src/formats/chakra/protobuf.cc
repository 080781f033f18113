#include <fmt/format.h>

#include <limits>
#include <protozero/pbf_message.hpp>
#include <protozero/pbf_reader.hpp>

#include "formats/chakra/reader.h"
#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

using graph::Activity;
using graph::ActivityKind;
using graph::Dependency;

std::string_view view(protozero::data_view data) { return {data.data(), data.size()}; }

using protozero::pbf_wire_type;

// Protozero takes a field's type on trust; a damaged file is not to be trusted. (Nor is its get_bool, which looks at a byte that may not be
// there: get_uint64 does not.)
protozero::pbf_reader& expect(protozero::pbf_reader& reader, pbf_wire_type type) {
  if (reader.wire_type() != type) throw protozero::unknown_pbf_wire_type_exception();
  return reader;
}
protozero::pbf_reader& varint(protozero::pbf_reader& reader) { return expect(reader, pbf_wire_type::varint); }
protozero::pbf_reader& bytes(protozero::pbf_reader& reader) { return expect(reader, pbf_wire_type::length_delimited); }

ActivityKind kind_of(std::int32_t type) {
  switch (static_cast<NodeType>(type)) {
    case NodeType::invalid: return ActivityKind::none;
    case NodeType::metadata: return ActivityKind::metadata;
    case NodeType::mem_load: return ActivityKind::memory_load;
    case NodeType::mem_store: return ActivityKind::memory_store;
    case NodeType::comp: return ActivityKind::compute;
    case NodeType::comm_send: return ActivityKind::send;
    case NodeType::comm_recv: return ActivityKind::recv;
    case NodeType::comm_coll: return ActivityKind::collective;
  }
  return ActivityKind::none;
}

std::uint32_t false_bits(protozero::pbf_reader list) {
  std::uint32_t bits = 0;
  std::uint32_t index = 0;
  const auto take = [&](bool value) {
    if (!value && index < 32) bits |= 1u << index;
    ++index;
  };
  while (list.next(1)) {
    if (list.wire_type() == pbf_wire_type::length_delimited) {
      for (const bool value : list.get_packed_bool()) take(value);
    } else {
      take(varint(list).get_uint64() != 0);
    }
  }
  return bits;
}

AttributeValue integer_value(std::int64_t value) { return {AttributeValue::Kind::integer, value}; }

// A sample: {name: "comm_size", int64_val: 1048576}. Unsigned values beyond 63 bits keep their bits and so become negative.
AttributeValue read_value(protozero::pbf_reader& field) {
  using Kind = AttributeValue::Kind;
  switch (field.tag()) {
    case attribute_field::double_val: field.skip(); return {Kind::number};
    case attribute_field::float_val: field.skip(); return {Kind::number};
    case attribute_field::int32_val: return integer_value(varint(field).get_int32());
    case attribute_field::int64_val: return integer_value(varint(field).get_int64());
    case attribute_field::uint32_val: return integer_value(varint(field).get_uint32());
    case attribute_field::uint64_val: return integer_value(static_cast<std::int64_t>(varint(field).get_uint64()));
    case attribute_field::sint32_val: return integer_value(varint(field).get_sint32());
    case attribute_field::sint64_val: return integer_value(varint(field).get_sint64());
    case attribute_field::fixed32_val: return integer_value(expect(field, pbf_wire_type::fixed32).get_fixed32());
    case attribute_field::fixed64_val: return integer_value(static_cast<std::int64_t>(expect(field, pbf_wire_type::fixed64).get_fixed64()));
    case attribute_field::sfixed32_val: return integer_value(expect(field, pbf_wire_type::fixed32).get_sfixed32());
    case attribute_field::sfixed64_val: return integer_value(expect(field, pbf_wire_type::fixed64).get_sfixed64());
    case attribute_field::bool_val: return {Kind::boolean, varint(field).get_uint64() != 0 ? 1 : 0};
    case attribute_field::bool_list: return {Kind::booleans, 0, {}, false_bits(bytes(field).get_message())};
    case attribute_field::string_val: return {Kind::text, 0, view(bytes(field).get_view())};
    default: field.skip(); return {};
  }
}

class ProgramParser {
 public:
  ProgramParser(std::string_view bytes, const std::string& path, Interner& strings) : bytes_(bytes), path_(path), strings_(strings) {}

  Result<graph::Program> parse() {
    if (bytes_.empty()) return Error{"the file is empty", path_, 0, "a Chakra trace begins with its metadata"};
    for (bool first = true; at_ < bytes_.size(); first = false) {
      record_ = at_;
      const std::optional<std::string_view> message = next_message();
      if (!message) return error("the file ends inside a record", "it is truncated, or not a Chakra execution trace");
      if (first) continue;  // GlobalMetadata
      try {
        const std::string problem = add_node(*message);
        if (!problem.empty()) return error(fmt::format("node {}: {}", activity_.id, problem));
      } catch (const protozero::exception& exception) {
        return error(fmt::format("this record is not a Chakra node ({})", exception.what()), "is it a Chakra execution trace (.et)?");
      }
    }
    Result<graph::Program> program = std::move(builder_).build();
    if (!program) program.error().file = path_;
    return program;
  }

 private:
  std::optional<std::string_view> next_message() {
    const char* p = bytes_.data() + at_;
    const char* const end = bytes_.data() + bytes_.size();
    std::uint64_t length = 0;
    try {
      length = protozero::decode_varint(&p, end);
    } catch (const protozero::exception&) {
      return std::nullopt;
    }
    if (length > static_cast<std::uint64_t>(end - p)) return std::nullopt;
    at_ = static_cast<std::size_t>(p - bytes_.data()) + length;
    return std::string_view(p, length);
  }

  std::string add_node(std::string_view message) {
    activity_ = {};
    // The meaning of an attribute depends on the node's type, whose place in the message nobody promises.
    protozero::pbf_reader types(message.data(), message.size());
    while (types.next(node_field::type)) activity_.kind = kind_of(varint(types).get_enum());
    protozero::pbf_reader node(message.data(), message.size());
    needs_.clear();
    while (node.next()) {
      switch (node.tag()) {
        case node_field::id: activity_.id = varint(node).get_uint64(); break;
        case node_field::name: activity_.name = strings_.intern(view(bytes(node).get_view())); break;
        case node_field::ctrl_deps: take_dependencies(node, Dependency::control); break;
        case node_field::data_deps: take_dependencies(node, Dependency::data); break;
        case node_field::duration_micros: {
          const std::uint64_t micros = varint(node).get_uint64();
          if (micros > static_cast<std::uint64_t>(graph::kMaxWeightPs / kPsPerUs)) return "lasts longer than 26 days";
          activity_.duration_ps = static_cast<TimePs>(micros) * kPsPerUs;
          break;
        }
        case node_field::attr: {
          const std::string problem = take_attribute(bytes(node).get_message());
          if (!problem.empty()) return problem;
          break;
        }
        default: node.skip();
      }
    }
    const std::string problem = finish_activity(activity_);
    if (!problem.empty()) return problem;
    builder_.add(activity_);
    for (const auto& [on, type] : needs_) builder_.depend(on, type);
    return {};
  }

  void take_dependencies(protozero::pbf_reader& node, Dependency type) {
    if (node.wire_type() == pbf_wire_type::length_delimited) {
      for (const std::uint64_t id : node.get_packed_uint64()) needs_.emplace_back(id, type);
    } else {
      needs_.emplace_back(varint(node).get_uint64(), type);
    }
  }

  std::string take_attribute(protozero::pbf_reader attribute) {
    std::string_view name;
    AttributeValue value;
    while (attribute.next()) {
      if (attribute.tag() == attribute_field::name) name = view(bytes(attribute).get_view());
      else if (attribute.tag() == attribute_field::doc_string) attribute.skip();
      else value = read_value(attribute);
    }
    return apply_attribute(name, value, activity_, strings_);
  }

  [[nodiscard]] Error error(std::string message, std::string hint = {}) const {
    return {std::move(message), path_, record_, std::move(hint)};
  }

  std::string_view bytes_;
  const std::string& path_;
  Interner& strings_;
  graph::ProgramBuilder builder_;
  Activity activity_;
  std::vector<std::pair<std::uint64_t, Dependency>> needs_;
  std::size_t at_ = 0;
  std::size_t record_ = 0;  // where the record being read begins
};

}  // namespace

Result<graph::Program> parse_protobuf(std::string_view bytes, const std::string& path, Interner& strings) {
  return ProgramParser(bytes, path, strings).parse();
}

}  // namespace orrery::chakra

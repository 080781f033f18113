#include "formats/chakra/message_view.h"

#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

bool append_ids(const WireField& field, std::vector<std::uint64_t>& ids) {
  // proto3 packs such lists, proto2 and hand-made files do not, and parsers must take both.
  if (field.is_varint()) return ids.push_back(field.value), true;
  if (!field.is_bytes()) return false;
  const char* p = field.bytes.data();
  const char* const end = p + field.bytes.size();
  for (std::uint64_t id = 0; p != end; ids.push_back(id)) {
    if (!take_varint(p, end, id)) return false;
  }
  return true;
}

bool view_tensors(const WireField& info, TensorsView& out) {
  if (!info.is_bytes()) return false;
  out.given = true;
  WireReader reader(info.bytes);
  for (WireField field; reader.next(field);) {
    std::string_view* const text = field.number == tensors_field::values   ? &out.values
                                   : field.number == tensors_field::shapes ? &out.shapes
                                   : field.number == tensors_field::types  ? &out.types
                                                                           : nullptr;
    if (text == nullptr) continue;
    if (!field.is_bytes()) return false;
    *text = field.bytes;
  }
  return !reader.damaged();
}

bool append_attribute(const WireField& field, std::vector<AttributeView>& attributes) {
  return field.is_bytes() && view_attribute(field.bytes, attributes.emplace_back());
}

bool take_text(const WireField& field, std::string_view& text) { return text = field.bytes, field.is_bytes(); }
bool take_number(const WireField& field, std::uint64_t& number) { return number = field.value, field.is_varint(); }

bool take_node_field(const WireField& field, NodeView& out) {
  switch (field.number) {
    case node_field::id: return take_number(field, out.id);
    case node_field::name: return take_text(field, out.name);
    case node_field::type: return take_number(field, out.type);
    case node_field::ctrl_deps: return append_ids(field, out.ctrl_deps);
    case node_field::data_deps: return append_ids(field, out.data_deps);
    case node_field::start_time_micros: return take_number(field, out.start_time_micros);
    case node_field::duration_micros: return take_number(field, out.duration_micros);
    case node_field::inputs: return view_tensors(field, out.inputs);
    case node_field::outputs: return view_tensors(field, out.outputs);
    case node_field::attr: return append_attribute(field, out.attributes);
    // Members of a later schema are passed over, and stay in a faithful copy.
    default: return true;
  }
}

}  // namespace

bool view_attribute(std::string_view message, AttributeView& out) {
  out = {};
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == attribute_field::name || field.number == attribute_field::doc_string) {
      if (!take_text(field, field.number == attribute_field::name ? out.name : out.doc_string)) return false;
      continue;
    }
    // Values come in pairs of numbers, a scalar and its list for each type.
    const std::uint32_t type = (field.number - attribute_field::double_val) / 2;
    // A type of a later schema: the attribute has no value for us, and its bytes stay in a faithful copy.
    if (field.number < attribute_field::double_val || type >= kValueTypes) continue;
    // The value is a oneof: of several the last counts, whatever their types.
    out.has_value = true;
    out.type = static_cast<ValueType>(type);
    out.is_list = (field.number - attribute_field::double_val) % 2 == 1;
    if (field.type != (out.is_list ? WireType::bytes : wire_type_of(out.type))) return false;
    if (out.is_list) out.list = field.bytes;
    else out.scalar = {field.value, field.bytes};
  }
  return !reader.damaged();
}

bool view_node(std::string_view message, NodeView& out) {
  out.id = out.type = out.start_time_micros = out.duration_micros = 0;
  out.name = {};
  out.inputs = out.outputs = {};
  // Cleared and not made anew: a file has millions of nodes, and the lists keep their memory.
  out.ctrl_deps.clear(), out.data_deps.clear(), out.attributes.clear();
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (!take_node_field(field, out)) return false;
  }
  return !reader.damaged();
}

bool view_metadata(std::string_view message, MetadataView& out) {
  out.version = {};
  out.attributes.clear();
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == metadata_field::version && !take_text(field, out.version)) return false;
    if (field.number == metadata_field::attr && !append_attribute(field, out.attributes)) return false;
  }
  return !reader.damaged();
}

WireType wire_type_of(ValueType type) {
  switch (type) {
    case ValueType::double_val:
    case ValueType::fixed64_val:
    case ValueType::sfixed64_val: return WireType::fixed64;
    case ValueType::float_val:
    case ValueType::fixed32_val:
    case ValueType::sfixed32_val: return WireType::fixed32;
    case ValueType::string_val:
    case ValueType::bytes_val: return WireType::bytes;
    default: return WireType::varint;
  }
}

std::int64_t integer_of(ValueType type, std::uint64_t bits) {
  switch (type) {
    case ValueType::int32_val:
    // Negative numbers of 32 bits come as ten bytes, whose upper half says nothing.
    case ValueType::sfixed32_val: return static_cast<std::int32_t>(bits);
    case ValueType::uint32_val:
    case ValueType::fixed32_val: return static_cast<std::uint32_t>(bits);
    case ValueType::sint32_val: return static_cast<std::int32_t>(unzigzag(bits));
    case ValueType::sint64_val: return unzigzag(bits);
    case ValueType::bool_val: return bits != 0 ? 1 : 0;
    default: return static_cast<std::int64_t>(bits);
  }
}

bool is_unsigned(ValueType type) {
  return type == ValueType::uint32_val || type == ValueType::uint64_val || type == ValueType::fixed32_val ||
         type == ValueType::fixed64_val;
}

}  // namespace orrery::chakra

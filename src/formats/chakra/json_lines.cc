#include "formats/chakra/json_lines.h"

#include <bit>

#include "base/json/json_writer.h"
#include "formats/chakra/message_view.h"

namespace orrery::chakra {
namespace {

void append_value(JsonWriter& json, ValueType type, const ScalarView& value) {
  switch (type) {
    case ValueType::double_val: json.value(std::bit_cast<double>(value.bits)); return;
    case ValueType::float_val:
      json.value(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))));
      return;
    case ValueType::bool_val: json.value(value.bits != 0); return;
    case ValueType::string_val:
    case ValueType::bytes_val: json.value(value.bytes); return;
    default: break;
  }
  // 64-bit numbers without a sign keep all their digits: as int64 the upper half would read negative.
  if (is_unsigned(type)) json.value(static_cast<std::uint64_t>(integer_of(type, value.bits)));
  else json.value(integer_of(type, value.bits));
}

bool append_attributes(JsonWriter& json, const std::vector<AttributeView>& attributes) {
  if (attributes.empty()) return true;
  json.key("attr").begin_object();
  bool whole = true;
  for (const AttributeView& attribute : attributes) {
    json.key(attribute.name);
    // An attribute with a name alone is allowed by the schema; null keeps it visible.
    if (!attribute.has_value) {
      json.null();
    } else if (attribute.is_list) {
      json.begin_array();
      whole &= for_each_value(attribute, [&](const ScalarView& value) { append_value(json, attribute.type, value); });
      json.end_array();
    } else if (const std::string_view name = comm_type_name(integer_of(attribute.type, attribute.scalar.bits));
               attribute.name == "comm_type" && !name.empty() && wire_type_of(attribute.type) == WireType::varint) {
      json.value(name);
    } else {
      append_value(json, attribute.type, attribute.scalar);
    }
  }
  json.end_object();
  return whole;
}

void append_ids(JsonWriter& json, std::string_view name, const std::vector<std::uint64_t>& ids) {
  if (ids.empty()) return;
  json.key(name).begin_array();
  for (const std::uint64_t id : ids) json.value(id);
  json.end_array();
}

void append_tensors(JsonWriter& json, std::string_view name, const TensorsView& tensors) {
  if (!tensors.given) return;
  json.key(name).begin_object();
  json.field("values", tensors.values).field("shapes", tensors.shapes).field("types", tensors.types).end_object();
}

}  // namespace

bool append_metadata_line(std::string_view message, std::string& out) {
  MetadataView metadata;
  if (!view_metadata(message, metadata)) return false;
  JsonWriter json(out);
  json.begin_object().field("version", metadata.version);
  const bool whole = append_attributes(json, metadata.attributes);
  json.end_object();
  return whole;
}

bool append_node_line(std::string_view message, std::string& out) {
  NodeView node;
  if (!view_node(message, node)) return false;
  JsonWriter json(out);
  json.begin_object().field("id", node.id);
  if (!node.name.empty()) json.field("name", node.name);
  // A type that the schema does not name is shown as its number, not hidden.
  if (const std::string_view type = node_type_name(node.type); !type.empty()) json.field("type", type);
  else json.field("type", node.type);
  append_ids(json, "ctrl_deps", node.ctrl_deps);
  append_ids(json, "data_deps", node.data_deps);
  if (node.start_time_micros != 0) json.field("start_time_micros", node.start_time_micros);
  if (node.duration_micros != 0) json.field("duration_micros", node.duration_micros);
  append_tensors(json, "inputs", node.inputs);
  append_tensors(json, "outputs", node.outputs);
  const bool whole = append_attributes(json, node.attributes);
  json.end_object();
  return whole;
}

}  // namespace orrery::chakra

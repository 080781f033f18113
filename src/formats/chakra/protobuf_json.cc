// protobuf's JSON form (google.protobuf.json_format.MessageToJson), as json.dumps(indent=2) lays it out.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "base/json/python_json.h"
#include "formats/chakra/json_lines.h"
#include "formats/chakra/message_view.h"

namespace orrery::chakra {
namespace {

/// Only what is needed here: objects and lists, one member per line, everything in ASCII.
class IndentedJson {
 public:
  explicit IndentedJson(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_list() { open('['); }
  void end_list() { close(']'); }
  void key(std::string_view name) {
    next_line();
    append_text(name);
    out_ += ": ";
  }
  /// Before each value of a list.
  void next_line() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  void append(std::string_view raw) { out_ += raw; }
  void append_text(std::string_view text);
  void append_number(double value, bool is_float);

 private:
  void open(char bracket) {
    out_ += bracket;
    ++depth_;
    is_first_ = true;
  }
  void close(char bracket) {
    --depth_;
    // Python puts nothing between the brackets of what is empty.
    if (!is_first_) {
      out_ += '\n';
      out_.append(2 * depth_, ' ');
    }
    out_ += bracket;
    is_first_ = false;
  }

  std::string& out_;
  std::size_t depth_ = 0;
  bool is_first_ = true;
};

void IndentedJson::append_text(std::string_view text) { append_python_text(out_, text); }

void IndentedJson::append_number(double value, bool is_float) {
  // json_format has these as texts, since JSON has no such numbers.
  if (std::isnan(value)) return append("\"NaN\"");
  if (std::isinf(value)) return append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  // The shortest text of a float, read as a double, is what Python writes.
  if (is_float) value = std::strtod(fmt::format("{}", static_cast<float>(value)).c_str(), nullptr);
  append(python_number(value));
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

void append_scalar(IndentedJson& json, ValueType type, const ScalarView& value) {
  const std::int64_t integer = integer_of(type, value.bits);
  switch (type) {
    case ValueType::double_val: return json.append_number(std::bit_cast<double>(value.bits), false);
    case ValueType::float_val:
      return json.append_number(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))),
                                true);
    case ValueType::bool_val: return json.append(value.bits != 0 ? "true" : "false");
    case ValueType::string_val: return json.append_text(value.bytes);
    case ValueType::bytes_val: return json.append_text(base64(value.bytes));
    case ValueType::int64_val:
    case ValueType::sint64_val:
    // 64-bit integers are texts in protobuf's JSON: a double would lose their last digits.
    case ValueType::sfixed64_val: return json.append(fmt::format("\"{}\"", integer));
    case ValueType::uint64_val:
    case ValueType::fixed64_val: return json.append(fmt::format("\"{}\"", static_cast<std::uint64_t>(integer)));
    default: return json.append(fmt::format("{}", integer));
  }
}

bool append_attribute(IndentedJson& json, const AttributeView& attribute) {
  static constexpr std::array<std::string_view, kValueTypes> kNames = {
      "double",  "float",   "int32",    "int64",    "uint32", "uint64", "sint32", "sint64",
      "fixed32", "fixed64", "sfixed32", "sfixed64", "bool",   "string", "bytes"};
  json.begin_object();
  if (!attribute.name.empty()) json.key("name"), json.append_text(attribute.name);
  if (!attribute.doc_string.empty()) json.key("docString"), json.append_text(attribute.doc_string);
  bool whole = true;
  if (attribute.has_value) {
    json.key(fmt::format("{}{}", kNames[static_cast<std::size_t>(attribute.type)], attribute.is_list ? "List" : "Val"));
    if (attribute.is_list) {
      std::size_t count = 0;
      // Counted first: json_format leaves the member out if there are none.
      whole = for_each_value(attribute, [&](const ScalarView&) { ++count; });
      json.begin_object();
      if (count > 0) {
        json.key("values");
        json.begin_list();
        for_each_value(attribute,
                       [&](const ScalarView& value) { json.next_line(), append_scalar(json, attribute.type, value); });
        json.end_list();
      }
      json.end_object();
    } else {
      append_scalar(json, attribute.type, attribute.scalar);
    }
  }
  json.end_object();
  return whole;
}

bool append_attributes(IndentedJson& json, const std::vector<AttributeView>& attributes) {
  if (attributes.empty()) return true;
  bool whole = true;
  json.key("attr");
  json.begin_list();
  for (const AttributeView& attribute : attributes) {
    json.next_line();
    whole &= append_attribute(json, attribute);
  }
  json.end_list();
  return whole;
}

void append_ids(IndentedJson& json, std::string_view name, const std::vector<std::uint64_t>& ids) {
  if (ids.empty()) return;
  json.key(name);
  json.begin_list();
  for (const std::uint64_t id : ids) json.next_line(), json.append(fmt::format("\"{}\"", id));
  json.end_list();
}

void append_tensors(IndentedJson& json, std::string_view name, const TensorsView& tensors) {
  if (!tensors.given) return;
  json.key(name);
  json.begin_object();
  if (!tensors.values.empty()) json.key("values"), json.append_text(tensors.values);
  if (!tensors.shapes.empty()) json.key("shapes"), json.append_text(tensors.shapes);
  if (!tensors.types.empty()) json.key("types"), json.append_text(tensors.types);
  json.end_object();
}

void append_count(IndentedJson& json, std::string_view name, std::uint64_t value) {
  if (value != 0) json.key(name), json.append(fmt::format("\"{}\"", value));
}

}  // namespace

bool append_metadata_json(std::string_view message, std::string& out) {
  MetadataView metadata;
  if (!view_metadata(message, metadata)) return false;
  IndentedJson json(out);
  json.begin_object();
  if (!metadata.version.empty()) json.key("version"), json.append_text(metadata.version);
  const bool whole = append_attributes(json, metadata.attributes);
  json.end_object();
  return whole;
}

bool append_node_json(std::string_view message, std::string& out) {
  NodeView node;
  if (!view_node(message, node)) return false;
  IndentedJson json(out);
  json.begin_object();
  append_count(json, "id", node.id);
  if (!node.name.empty()) json.key("name"), json.append_text(node.name);
  if (const std::string_view type = node_type_name(node.type); node.type != 0) {
    json.key("type");
    // Enums are open in proto3: an unknown value is written as its number, in 32 bits.
    if (type.empty()) json.append(fmt::format("{}", static_cast<std::int32_t>(node.type)));
    else json.append_text(type);
  }
  append_ids(json, "ctrlDeps", node.ctrl_deps);
  append_ids(json, "dataDeps", node.data_deps);
  append_count(json, "startTimeMicros", node.start_time_micros);
  append_count(json, "durationMicros", node.duration_micros);
  append_tensors(json, "inputs", node.inputs);
  append_tensors(json, "outputs", node.outputs);
  const bool whole = append_attributes(json, node.attributes);
  json.end_object();
  return whole;
}

}  // namespace orrery::chakra

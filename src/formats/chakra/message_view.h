// Messages of a Chakra file taken apart as far as the schema goes: what exports show. Nothing is copied.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/protobuf/protobuf_wire.h"

namespace orrery::chakra {

/// The type of an attribute's value; its fields in AttributeProto are 3 + 2 * type, and that + 1 for the list.
enum class ValueType : std::uint8_t {
  double_val,
  float_val,
  int32_val,
  int64_val,
  uint32_val,
  uint64_val,
  sint32_val,
  sint64_val,
  fixed32_val,
  fixed64_val,
  sfixed32_val,
  sfixed64_val,
  bool_val,
  string_val,
  bytes_val
};
inline constexpr std::uint32_t kValueTypes = 15;

/// One number of any type, or a text: its bits as they are on the wire.
struct ScalarView {
  std::uint64_t bits = 0;
  std::string_view bytes = {};
};

struct AttributeView {
  std::string_view name, doc_string;
  bool has_value = false;
  bool is_list = false;
  ValueType type = ValueType::int64_val;
  ScalarView scalar = {};      ///< unless it is a list
  std::string_view list = {};  ///< the message that holds it: see for_each_value
};

struct TensorsView {
  bool given = false;
  std::string_view values, shapes, types;
};

struct NodeView {
  std::uint64_t id = 0;
  std::string_view name;
  std::uint64_t type = 0;
  std::vector<std::uint64_t> ctrl_deps, data_deps;
  std::uint64_t start_time_micros = 0, duration_micros = 0;
  TensorsView inputs, outputs;
  std::vector<AttributeView> attributes;
};

struct MetadataView {
  std::string_view version;
  std::vector<AttributeView> attributes;
};

// False if the message is damaged or a field of another type than the schema has it. Of a field given twice the last
// counts. Unknown fields are passed over. The views are cleared first and keep their memory.
bool view_node(std::string_view message, NodeView& out);
bool view_metadata(std::string_view message, MetadataView& out);
bool view_attribute(std::string_view message, AttributeView& out);

/// What an integer or boolean of `type` with these bits is; unsigned 64-bit values keep theirs.
std::int64_t integer_of(ValueType type, std::uint64_t bits);
/// Whether values of this type are integers without a sign.
bool is_unsigned(ValueType type);

/// Whether values of `type` are packed into lists as varints, four bytes or eight.
WireType wire_type_of(ValueType type);

/// Calls f(ScalarView) for every value of a list, packed or not. False if it is damaged.
template <typename F>
bool for_each_value(const AttributeView& attribute, const F& f) {
  const WireType expected = wire_type_of(attribute.type);
  WireReader reader(attribute.list);
  for (WireField field; reader.next(field);) {
    if (field.number != 1) continue;
    if (field.type == expected) {
      f(ScalarView{field.value, field.bytes});
      continue;
    }
    if (!field.is_bytes()) return false;
    const char* p = field.bytes.data();
    const char* const end = p + field.bytes.size();
    while (p != end) {
      ScalarView value;
      if (expected == WireType::varint) {
        if (!take_varint(p, end, value.bits)) return false;
      } else {
        const std::size_t size = expected == WireType::fixed32 ? 4 : 8;
        if (static_cast<std::size_t>(end - p) < size) return false;
        std::memcpy(&value.bits, p, size);
        p += size;
      }
      f(value);
    }
  }
  return !reader.damaged();
}

}  // namespace orrery::chakra

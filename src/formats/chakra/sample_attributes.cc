#include "formats/chakra/sample_attributes.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

namespace field = attribute_field;

constexpr std::uint32_t kListValues = 1;

/// How a number lies in a message: three ways, for fourteen types.
enum class Encoding : std::uint8_t { varint, zigzag, fixed };

/// An attribute, and below it the same as a list; the field of a list comes after that of its type.
template <typename AddValue, typename AddList>
void append_pair(WireWriter& node, std::string_view name, std::uint32_t number, bool documented,
                 const AddValue& add_value, const AddList& add_list) {
  {
    WireWriter attribute(node, node_field::attr);
    attribute.add_bytes(field::name, name);
    if (documented) attribute.add_bytes(field::doc_string, name);
    add_value(attribute, number);
  }
  WireWriter attribute(node, node_field::attr);
  attribute.add_bytes(field::name, std::string(name) + "_list");
  WireWriter list(attribute, number + 1);
  add_list(list);
}

/// Of three numbers the first is the value alone, the others are the list.
template <Encoding kEncoding, typename T>
void append_numbers(WireWriter& node, std::string_view name, std::uint32_t number, bool documented,
                    std::array<T, 3> numbers) {
  const std::array<T, 2> listed = {numbers[1], numbers[2]};
  append_pair(
      node, name, number, documented,
      [&](WireWriter& attribute, std::uint32_t tag) {
        if constexpr (kEncoding == Encoding::varint) attribute.add_number(tag, numbers[0]);
        else if constexpr (kEncoding == Encoding::zigzag) attribute.add_zigzag(tag, numbers[0]);
        else attribute.add_fixed(tag, numbers[0]);
      },
      [&](WireWriter& list) {
        if constexpr (kEncoding == Encoding::varint) list.add_packed(kListValues, listed);
        else if constexpr (kEncoding == Encoding::zigzag) list.add_packed_zigzag(kListValues, listed);
        else list.add_packed_fixed(kListValues, listed);
      });
}

void append_texts(WireWriter& node, std::string_view name, std::uint32_t number, bool documented) {
  append_pair(
      node, name, number, documented,
      [](WireWriter& attribute, std::uint32_t tag) { attribute.add_bytes(tag, "12345"); },
      [](WireWriter& list) {
        for (int i = 0; i < 10; ++i) list.add_bytes(kListValues, std::to_string(12345 + i));
      });
}

}  // namespace

void append_sample_attributes(WireWriter& node) {
  using enum Encoding;
  using I32 = std::int32_t;
  using I64 = std::int64_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  append_numbers<fixed, double>(node, "double", field::double_val, true, {1.2345, 1.2345, 2.3456});
  append_numbers<fixed, float>(node, "float", field::float_val, true, {1.2345f, 1.2345f, 2.3456f});
  append_numbers<varint, I32>(node, "int32", field::int32_val, true, {12345, 12345, 23456});
  append_numbers<varint, I64>(node, "int64", field::int64_val, true, {9876543210, 9876543210, 1234567890});
  append_numbers<varint, U32>(node, "uint32", field::uint32_val, true, {12345, 12345, 23456});
  append_numbers<varint, U64>(node, "uint64", field::uint64_val, true, {9876543210, 9876543210, 1234567890});
  append_numbers<zigzag, I32>(node, "sint32", field::sint32_val, true, {-12345, 12345, -23456});
  append_numbers<zigzag, I64>(node, "sint64", field::sint64_val, true, {-9876543210, 9876543210, -1234567890});
  // The generator documents neither these nor the bytes.
  append_numbers<fixed, U32>(node, "fixed32", field::fixed32_val, false, {12345, 12345, 23456});
  append_numbers<fixed, U64>(node, "fixed64", field::fixed64_val, false, {9876543210, 9876543210, 1234567890});
  append_numbers<fixed, I32>(node, "sfixed32", field::sfixed32_val, false, {-12345, 12345, -23456});
  append_numbers<fixed, I64>(node, "sfixed64", field::sfixed64_val, false, {-9876543210, 9876543210, -1234567890});
  append_pair(
      node, "bool", field::bool_val, true,
      [](WireWriter& attribute, std::uint32_t tag) { attribute.add_number(tag, true); },
      [](WireWriter& list) {
        list.add_packed(kListValues, std::array<U32, 10>{1, 0, 1, 0, 1, 0, 1, 0, 1, 0});
      });
  append_texts(node, "string", field::string_val, true);
  append_texts(node, "bytes", field::bytes_val, false);
}

}  // namespace orrery::chakra

#include "formats/chakra/sample_attributes.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

namespace field = attribute_field;
using protozero::pbf_writer;

constexpr std::uint32_t kListValues = 1;

/// An attribute, and below it the same as a list; the field of a list comes after that of its type.
template <typename AddValue, typename AddList>
void append_pair(pbf_writer& node, std::string_view name, std::uint32_t number, bool documented, const AddValue& add_value,
                 const AddList& add_list) {
  {
    pbf_writer attribute(node, node_field::attr);
    attribute.add_string(field::name, name.data(), name.size());
    if (documented) attribute.add_string(field::doc_string, name.data(), name.size());
    add_value(attribute, number);
  }
  pbf_writer attribute(node, node_field::attr);
  attribute.add_string(field::name, std::string(name) + "_list");
  pbf_writer list(attribute, number + 1);
  add_list(list);
}

template <typename T, typename AddValue, typename AddList>
void append_numbers(pbf_writer& node, std::string_view name, std::uint32_t number, bool documented, std::array<T, 3> numbers,
                    const AddValue& add_value, const AddList& add_list) {
  append_pair(
      node, name, number, documented, [&](pbf_writer& attribute, std::uint32_t tag) { add_value(attribute, tag, numbers[0]); },
      [&](pbf_writer& list) { add_list(list, numbers.data() + 1, numbers.data() + 3); });
}

void append_texts(pbf_writer& node, std::string_view name, std::uint32_t number, bool documented) {
  append_pair(
      node, name, number, documented, [](pbf_writer& attribute, std::uint32_t tag) { attribute.add_string(tag, "12345"); },
      [](pbf_writer& list) {
        for (int i = 0; i < 10; ++i) list.add_string(kListValues, std::to_string(12345 + i));
      });
}

}  // namespace

void append_sample_attributes(pbf_writer& node) {
  using W = pbf_writer;
  // Of three numbers the first is the value alone, the others are the list.
  append_numbers<double>(
      node, "double", field::double_val, true, {1.2345, 1.2345, 2.3456}, [](W& w, std::uint32_t tag, double x) { w.add_double(tag, x); },
      [](W& w, const double* begin, const double* end) { w.add_packed_double(kListValues, begin, end); });
  append_numbers<float>(
      node, "float", field::float_val, true, {1.2345f, 1.2345f, 2.3456f}, [](W& w, std::uint32_t tag, float x) { w.add_float(tag, x); },
      [](W& w, const float* begin, const float* end) { w.add_packed_float(kListValues, begin, end); });
  append_numbers<std::int32_t>(
      node, "int32", field::int32_val, true, {12345, 12345, 23456}, [](W& w, std::uint32_t tag, std::int32_t x) { w.add_int32(tag, x); },
      [](W& w, const std::int32_t* begin, const std::int32_t* end) { w.add_packed_int32(kListValues, begin, end); });
  append_numbers<std::int64_t>(
      node, "int64", field::int64_val, true, {9876543210, 9876543210, 1234567890},
      [](W& w, std::uint32_t tag, std::int64_t x) { w.add_int64(tag, x); },
      [](W& w, const std::int64_t* begin, const std::int64_t* end) { w.add_packed_int64(kListValues, begin, end); });
  append_numbers<std::uint32_t>(
      node, "uint32", field::uint32_val, true, {12345, 12345, 23456},
      [](W& w, std::uint32_t tag, std::uint32_t x) { w.add_uint32(tag, x); },
      [](W& w, const std::uint32_t* begin, const std::uint32_t* end) { w.add_packed_uint32(kListValues, begin, end); });
  append_numbers<std::uint64_t>(
      node, "uint64", field::uint64_val, true, {9876543210, 9876543210, 1234567890},
      [](W& w, std::uint32_t tag, std::uint64_t x) { w.add_uint64(tag, x); },
      [](W& w, const std::uint64_t* begin, const std::uint64_t* end) { w.add_packed_uint64(kListValues, begin, end); });
  append_numbers<std::int32_t>(
      node, "sint32", field::sint32_val, true, {-12345, 12345, -23456},
      [](W& w, std::uint32_t tag, std::int32_t x) { w.add_sint32(tag, x); },
      [](W& w, const std::int32_t* begin, const std::int32_t* end) { w.add_packed_sint32(kListValues, begin, end); });
  append_numbers<std::int64_t>(
      node, "sint64", field::sint64_val, true, {-9876543210, 9876543210, -1234567890},
      [](W& w, std::uint32_t tag, std::int64_t x) { w.add_sint64(tag, x); },
      [](W& w, const std::int64_t* begin, const std::int64_t* end) { w.add_packed_sint64(kListValues, begin, end); });
  append_numbers<std::uint32_t>(
      node, "fixed32", field::fixed32_val, false, {12345, 12345, 23456},
      [](W& w, std::uint32_t tag, std::uint32_t x) { w.add_fixed32(tag, x); },
      [](W& w, const std::uint32_t* begin, const std::uint32_t* end) { w.add_packed_fixed32(kListValues, begin, end); });
  append_numbers<std::uint64_t>(
      node, "fixed64", field::fixed64_val, false, {9876543210, 9876543210, 1234567890},
      [](W& w, std::uint32_t tag, std::uint64_t x) { w.add_fixed64(tag, x); },
      [](W& w, const std::uint64_t* begin, const std::uint64_t* end) { w.add_packed_fixed64(kListValues, begin, end); });
  append_numbers<std::int32_t>(
      node, "sfixed32", field::sfixed32_val, false, {-12345, 12345, -23456},
      [](W& w, std::uint32_t tag, std::int32_t x) { w.add_sfixed32(tag, x); },
      [](W& w, const std::int32_t* begin, const std::int32_t* end) { w.add_packed_sfixed32(kListValues, begin, end); });
  append_numbers<std::int64_t>(
      node, "sfixed64", field::sfixed64_val, false, {-9876543210, 9876543210, -1234567890},
      [](W& w, std::uint32_t tag, std::int64_t x) { w.add_sfixed64(tag, x); },
      [](W& w, const std::int64_t* begin, const std::int64_t* end) { w.add_packed_sfixed64(kListValues, begin, end); });
  append_pair(
      node, "bool", field::bool_val, true, [](W& attribute, std::uint32_t tag) { attribute.add_bool(tag, true); },
      [](W& list) {
        const std::array<std::uint32_t, 10> bits = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
        list.add_packed_uint32(kListValues, bits.begin(), bits.end());
      });
  append_texts(node, "string", field::string_val, true);
  append_texts(node, "bytes", field::bytes_val, false);
}

}  // namespace orrery::chakra

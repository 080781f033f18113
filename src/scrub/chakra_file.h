// A Chakra file as a sequence of messages, each with its length in front.
#pragma once

#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace orrery::scrub {

/// Takes the next message off the front of `bytes`; nothing if it is not there in full.
std::optional<std::string_view> next_message(std::string_view& bytes);

inline std::string_view to_view(protozero::data_view data) { return {data.data(), data.size()}; }

/// Protozero takes a field's type on trust; a damaged file is not to be trusted. Throws protozero::unknown_pbf_wire_type_exception.
inline protozero::pbf_reader& expect(protozero::pbf_reader& field, protozero::pbf_wire_type type) {
  if (field.wire_type() != type) throw protozero::unknown_pbf_wire_type_exception();
  return field;
}
inline std::uint64_t varint_of(protozero::pbf_reader& field) { return expect(field, protozero::pbf_wire_type::varint).get_uint64(); }
inline std::string_view bytes_of(protozero::pbf_reader& field) {
  return to_view(expect(field, protozero::pbf_wire_type::length_delimited).get_view());
}
inline protozero::pbf_reader message_of(std::string_view bytes) { return protozero::pbf_reader(bytes.data(), bytes.size()); }

}  // namespace orrery::scrub

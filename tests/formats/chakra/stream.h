// Chakra files made by hand, field by field.
#pragma once

#include <protozero/pbf_writer.hpp>
#include <string>

#include "formats/chakra/schema.h"

namespace orrery::chakra {

// Writes messages as they lie in a file: each with its length in front.
class Stream {
 public:
  explicit Stream(const std::string& version = "0.0.4") {
    std::string metadata;
    protozero::pbf_writer(metadata).add_string(metadata_field::version, version);
    append(metadata);
  }

  template <typename Fill>
  Stream& node(std::uint64_t id, NodeType type, Fill fill) {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_uint64(node_field::id, id);
    writer.add_enum(node_field::type, static_cast<std::int32_t>(type));
    fill(writer);
    append(message);
    return *this;
  }
  Stream& node(std::uint64_t id, NodeType type) {
    return node(id, type, [](protozero::pbf_writer&) {});
  }
  void append(const std::string& message) {
    std::string length;
    protozero::add_varint_to_buffer(&length, message.size());
    bytes += length + message;
  }

  std::string bytes;
};

template <typename Set>
void attribute(protozero::pbf_writer& node, const char* name, Set set) {
  protozero::pbf_writer writer(node, node_field::attr);
  writer.add_string(attribute_field::name, name);
  set(writer);
}

inline void integer(protozero::pbf_writer& node, const char* name, std::int64_t value) {
  attribute(node, name, [&](protozero::pbf_writer& w) { w.add_int64(attribute_field::int64_val, value); });
}

}  // namespace orrery::chakra

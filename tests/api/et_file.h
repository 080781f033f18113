// Chakra files written by hand, message by message: small ones for the rules, and large ones without a generator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::api::testing {

struct EtNode {
  std::uint64_t id = 0;
  std::vector<std::uint64_t> data = {};
  std::vector<std::uint64_t> control = {};
  std::uint64_t type = 4;  ///< COMP_NODE
  std::uint64_t duration_micros = 0;
  std::string name = {};
  std::vector<std::pair<std::string, std::int64_t>> integers = {};  ///< attributes, as int64_val
  std::vector<std::pair<std::string, std::string>> texts = {};      ///< as string_val
};

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

inline void put_number(std::string& out, unsigned field, std::uint64_t value) {
  put_varint(out, field << 3);
  put_varint(out, value);
}

inline void put_bytes(std::string& out, unsigned field, std::string_view bytes) {
  put_varint(out, field << 3 | 2);
  put_varint(out, bytes.size());
  out += bytes;
}

inline void put_packed(std::string& out, unsigned field, const std::vector<std::uint64_t>& values) {
  if (values.empty()) return;
  std::string packed;
  for (const std::uint64_t value : values) put_varint(packed, value);
  put_bytes(out, field, packed);
}

inline void put_node(std::string& file, const EtNode& node) {
  std::string message;
  put_number(message, 1, node.id);
  if (!node.name.empty()) put_bytes(message, 2, node.name);
  put_number(message, 3, node.type);
  put_packed(message, 4, node.control);
  put_packed(message, 5, node.data);
  put_number(message, 7, node.duration_micros);
  for (const auto& [name, value] : node.integers) {
    std::string attribute;
    put_bytes(attribute, 1, name);
    put_number(attribute, 9, static_cast<std::uint64_t>(value));
    put_bytes(message, 10, attribute);
  }
  for (const auto& [name, value] : node.texts) {
    std::string attribute;
    put_bytes(attribute, 1, name);
    put_bytes(attribute, 29, value);
    put_bytes(message, 10, attribute);
  }
  put_varint(file, message.size());
  file += message;
}

inline std::string et_header() {
  std::string metadata, file;
  put_bytes(metadata, 1, "0.0.4");
  put_varint(file, metadata.size());
  return file + metadata;
}

inline std::string et_file(const std::vector<EtNode>& nodes) {
  std::string file = et_header();
  for (const EtNode& node : nodes) put_node(file, node);
  return file;
}

}  // namespace orrery::api::testing

// Binary schedules for tests, field by field as docs/formats/goal.md tells them; written apart from the reader on
// purpose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::testing {

struct BinaryNode {
  std::uint8_t type = 3;
  std::uint32_t peer = 0;
  std::uint64_t size = 0;
  std::uint32_t tag = 0;
  std::uint8_t cpu = 0, nic = 0;
  std::vector<std::uint32_t> dependents = {}, start_dependents = {};
};

template <typename T>
void append(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
}

inline std::string binary_block(const std::vector<BinaryNode>& nodes) {
  std::vector<std::uint32_t> waits(nodes.size(), 0);
  for (const BinaryNode& node : nodes) {
    for (const std::uint32_t d : node.dependents) ++waits.at(d);
    for (const std::uint32_t d : node.start_dependents) ++waits.at(d);
  }
  std::string roots, table, appendix;
  std::uint32_t root_count = 0, entries = 0;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (waits[i] == 0) append(roots, i), ++root_count;
    const BinaryNode& node = nodes[i];
    append(table, waits[i]), append(table, node.type), append(table, node.peer), append(table, node.size),
        append(table, node.tag);
    append(table, node.cpu), append(table, node.nic);
    append(table, static_cast<std::uint32_t>(node.dependents.size())), append(table, entries);
    entries += static_cast<std::uint32_t>(node.dependents.size());
    append(table, static_cast<std::uint32_t>(node.start_dependents.size())), append(table, entries);
    entries += static_cast<std::uint32_t>(node.start_dependents.size());
    for (const std::uint32_t d : node.dependents) append(appendix, d);
    for (const std::uint32_t d : node.start_dependents) append(appendix, d);
  }
  std::string block;
  append(block, static_cast<std::uint32_t>(nodes.size())), append(block, root_count);
  return block + roots + table + appendix;
}

inline std::string binary_schedule(const std::vector<std::vector<BinaryNode>>& ranks) {
  std::string head, blocks;
  append(head, std::uint32_t(ranks.size())), append(head, std::uint8_t{1}), append(head, std::uint8_t{1});
  std::uint64_t at = 6 + 16 * ranks.size();
  for (const auto& nodes : ranks) {
    const std::string block = binary_block(nodes);
    append(head, at), append(head, at + block.size());
    at += block.size();
    blocks += block;
  }
  std::string bytes;
  append(bytes, std::uint64_t{4223});
  return bytes + head + blocks;
}

}  // namespace orrery::testing

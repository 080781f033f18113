// Sets of arguments, found by adding one argument after the other: a set is another set and one more argument.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace orrery::page {

class ArgumentSets {
 public:
  /// A set: `parent` with the argument `key`, whose value is `value`.
  struct Node {
    std::uint32_t parent, key;
    std::int64_t value;
  };
  static constexpr std::uint32_t kEmpty = 0;

  ArgumentSets() : nodes_{{0, 0, 0}}, slots_(1024, kFree) {}

  /// The number of the set that has one more argument; numbers are in order of first use. O(1).
  std::uint32_t with(std::uint32_t parent, std::uint32_t key, std::int64_t value) {
    if (nodes_.size() * 2 > slots_.size()) grow();
    std::uint32_t& slot = slots_[find(parent, key, value)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({parent, key, value});
    }
    return slot;
  }

  [[nodiscard]] const Node& operator[](std::uint32_t set) const { return nodes_[set]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  [[nodiscard]] std::size_t find(std::uint32_t parent, std::uint32_t key, std::int64_t value) const {
    std::uint64_t hash = (std::uint64_t{parent} << 32U | key) * 0x9E3779B97F4A7C15U;
    hash = (std::rotl(hash, 29) ^ static_cast<std::uint64_t>(value)) * 0xD6E8FEB86659FD93U;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (hash ^ hash >> 32U) & mask;; at = (at + 1) & mask) {
      if (slots_[at] == kFree) return at;
      const Node& node = nodes_[slots_[at]];
      if (node.parent == parent && node.key == key && node.value == value) return at;
    }
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (std::uint32_t set = 1; set < nodes_.size(); ++set)
      slots_[find(nodes_[set].parent, nodes_[set].key, nodes_[set].value)] = set;
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

}  // namespace orrery::page

// Which of a number of things are connected, found by joining them two at a time.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace orrery::align {

/// Union-find with path halving: a join or a question takes next to constant time.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }

  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }
  [[nodiscard]] bool connected(std::size_t a, std::size_t b) { return root(a) == root(b); }

 private:
  std::uint32_t root(std::size_t of) {
    auto i = static_cast<std::uint32_t>(of);
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  std::vector<std::uint32_t> parent_;
};

}  // namespace orrery::align

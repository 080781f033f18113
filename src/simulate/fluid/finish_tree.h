// The earliest of many times of which some change at every step: a tournament over a fixed numbering.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// set() takes O(log n) at worst, and two or three steps for a time that neither is nor was among the first of its neighbours.
class FinishTree {
 public:
  /// Makes room for `count` entries; new ones are kNever.
  void resize(std::size_t count) {
    if (count <= leaves_) return;
    const std::size_t leaves = std::bit_ceil(count);
    std::vector<TimePs> nodes(2 * leaves, kNever);
    if (leaves_ > 0)
      std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_), leaves_, nodes.begin() + static_cast<std::ptrdiff_t>(leaves));
    for (std::size_t i = leaves; i-- > 1;) nodes[i] = std::min(nodes[2 * i], nodes[2 * i + 1]);
    nodes_.swap(nodes);
    leaves_ = leaves;
  }

  void set(std::uint32_t entry, TimePs time) {
    std::size_t i = leaves_ + entry;
    nodes_[i] = time;
    while (i > 1) {
      i /= 2;
      const TimePs earliest = std::min(nodes_[2 * i], nodes_[2 * i + 1]);
      if (nodes_[i] == earliest) return;
      nodes_[i] = earliest;
    }
  }

  /// kNever if no entry has a time.
  [[nodiscard]] TimePs earliest() const { return leaves_ == 0 ? kNever : nodes_[1]; }

  /// The first entry that has the earliest time; there must be an entry.
  [[nodiscard]] std::uint32_t first() const {
    std::size_t i = 1;
    while (i < leaves_) i = nodes_[2 * i] == nodes_[i] ? 2 * i : 2 * i + 1;
    return static_cast<std::uint32_t>(i - leaves_);
  }

 private:
  std::size_t leaves_ = 0;
  std::vector<TimePs> nodes_;  ///< node i has the children 2i and 2i+1; the leaves are the upper half
};

}  // namespace orrery::simulate

// The earliest of many times of which some change at every step: a tournament among the entries that have a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// Entries without a time are not in the tournament: of 100,000 links ten may be at work, and then it has four rounds
/// instead of seventeen. set() takes O(log n) at worst, n the most entries that had a time at once, and two or three
/// steps for a time that neither is nor was among the first of its neighbours.
class FinishTree {
 public:
  /// Makes room for `count` entries; new ones are kNever.
  void resize(std::size_t count) {
    if (count > slot_of_.size()) slot_of_.resize(count, kNoSlot);
  }

  void set(std::uint32_t entry, TimePs time) {
    const std::uint32_t slot = slot_of_[entry];
    if (slot != kNoSlot) {
      if (time == kNever) {
        slot_of_[entry] = kNoSlot;
        free_slots_.push_back(slot);
      }
      return set_slot(slot, time);
    }
    if (time == kNever) return;
    slot_of_[entry] = take_slot(entry);
    set_slot(slot_of_[entry], time);
  }

  /// kNever if no entry has a time.
  [[nodiscard]] TimePs earliest() const { return leaves_ == 0 ? kNever : nodes_[1]; }

  /// One of the entries that have the earliest time; there must be one.
  [[nodiscard]] std::uint32_t first() const {
    std::size_t i = 1;
    // Which child it is cannot be foretold: added instead of branched on.
    while (i < leaves_) i = 2 * i + static_cast<std::size_t>(nodes_[2 * i] != nodes_[i]);
    return entry_of_[i - leaves_];
  }

 private:
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  void set_slot(std::uint32_t slot, TimePs time) {
    std::size_t i = leaves_ + slot;
    nodes_[i] = time;
    while (i > 1) {
      i /= 2;
      const TimePs earliest = std::min(nodes_[2 * i], nodes_[2 * i + 1]);
      if (nodes_[i] == earliest) return;
      nodes_[i] = earliest;
    }
  }

  std::uint32_t take_slot(std::uint32_t entry) {
    if (free_slots_.empty()) {
      const auto slot = static_cast<std::uint32_t>(entry_of_.size());
      entry_of_.push_back(entry);
      if (entry_of_.size() > leaves_) double_leaves();
      return slot;
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    entry_of_[slot] = entry;
    return slot;
  }

  void double_leaves() {
    const std::size_t leaves = std::max<std::size_t>(2 * leaves_, 1);
    std::vector<TimePs> nodes(2 * leaves, kNever);
    if (leaves_ > 0)
      std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_), leaves_,
                  nodes.begin() + static_cast<std::ptrdiff_t>(leaves));
    for (std::size_t i = leaves; i-- > 1;) nodes[i] = std::min(nodes[2 * i], nodes[2 * i + 1]);
    nodes_.swap(nodes);
    leaves_ = leaves;
  }

  std::size_t leaves_ = 0;
  std::vector<TimePs> nodes_;  ///< node i has the children 2i and 2i+1; the leaves, one per slot, are the upper half
  std::vector<std::uint32_t> slot_of_;     ///< by entry
  std::vector<std::uint32_t> entry_of_;    ///< by slot; of a free one whichever was last there
  std::vector<std::uint32_t> free_slots_;  ///< the last one freed is taken first: it is in the cache
};

}  // namespace orrery::simulate

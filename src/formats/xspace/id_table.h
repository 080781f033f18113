// From the ids of a metadata table to places in a list. Ids are small and dense in almost every file, but they are
// 64-bit numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "formats/xspace/outline.h"

namespace orrery::xspace {

/// Of entries with the same id the last counts.
class IdTable {
 public:
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};

  explicit IdTable(std::span<const MetadataEntry> entries) {
    std::int64_t highest = 0, lowest = 0;
    for (const MetadataEntry& entry : entries)
      highest = std::max(highest, entry.id), lowest = std::min(lowest, entry.id);
    const bool dense = lowest >= 0 && highest <= static_cast<std::int64_t>(entries.size() * 8 + 1024);
    if (dense) places_.assign(static_cast<std::size_t>(highest) + 1, kMissing);
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (dense) places_[static_cast<std::size_t>(entries[i].id)] = i;
      else sorted_.emplace_back(entries[i].id, i);
    }
    std::sort(sorted_.begin(), sorted_.end());
  }

  [[nodiscard]] std::uint32_t find(std::int64_t id) const {
    if (!places_.empty())
      return id >= 0 && static_cast<std::uint64_t>(id) < places_.size() ? places_[static_cast<std::size_t>(id)]
                                                                        : kMissing;
    const auto after = std::upper_bound(sorted_.begin(), sorted_.end(), std::pair(id, kMissing));
    return after == sorted_.begin() || (after - 1)->first != id ? kMissing : (after - 1)->second;
  }

  /// All ids are below this; 0 if they are too far apart for a list by id.
  [[nodiscard]] std::size_t dense_ids() const { return places_.size(); }

 private:
  std::vector<std::uint32_t> places_;                           // by id, if they are dense
  std::vector<std::pair<std::int64_t, std::uint32_t>> sorted_;  // else
};

}  // namespace orrery::xspace

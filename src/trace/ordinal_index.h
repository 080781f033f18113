// Events by their place in the file's list: what graphs that were joined or saved know them by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace orrery::trace {

/// Of a rank with positions; of one without it finds nothing. 8 bytes per event.
class OrdinalIndex {
 public:
  explicit OrdinalIndex(const RankTrace& rank) {
    entries_.reserve(rank.ordinal.size());
    for (EventIndex e = 0; e < rank.ordinal.size(); ++e) entries_.emplace_back(rank.ordinal[e], e);
    // As a rule they ascend.
    if (!std::is_sorted(entries_.begin(), entries_.end())) std::sort(entries_.begin(), entries_.end());
  }

  /// O(log events).
  [[nodiscard]] std::optional<EventIndex> find(std::uint32_t ordinal) const {
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), std::pair(ordinal, EventIndex{0}));
    return at == entries_.end() || at->first != ordinal ? std::nullopt : std::optional(at->second);
  }

 private:
  std::vector<std::pair<std::uint32_t, EventIndex>> entries_;
};

}  // namespace orrery::trace

// The device rows of each correlation.
#pragma once

#include <algorithm>
#include <span>

#include "base/radix_sort.h"
#include "causal/hta/job_rows.h"

namespace orrery::analyze::hta {

/// Rows of the frame that have a stream, by correlation; those of one correlation in the order of the frame.
class CorrelatedRows {
 public:
  explicit CorrelatedRows(const causal::hta::RankRows& rank) {
    for (const causal::hta::RowIndex r : rank.rows.frame) {
      if (rank.has_stream(r)) rows_.push_back({radix_key(rank.rows.correlation[r]), r});
    }
    radix_sort(rows_);
  }

  /// KeyedIndex::index is the row.
  [[nodiscard]] std::span<const KeyedIndex> of(std::int64_t correlation) const {
    const auto less = [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; };
    const auto [first, last] =
        std::equal_range(rows_.begin(), rows_.end(), KeyedIndex{radix_key(correlation), 0}, less);
    return {first, last};
  }

 private:
  Column<KeyedIndex> rows_;
};

}  // namespace orrery::analyze::hta

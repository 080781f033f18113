// get_cuda_kernel_launch_stats: how long launch calls take, their kernels, and the time between.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/hta/statistics.h"
#include "base/radix_sort.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

// The device rows of each correlation.

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

struct LaunchOptions {
  bool with_memory = true;  ///< copies and sets as well
  double runtime_cutoff_us = 50;
  double delay_cutoff_us = 100;
};

struct LaunchTimes {
  Description us = {};
  TimePs sum = 0;
};

struct LaunchStats {
  std::int64_t rank = 0;
  LaunchTimes cpu = {};              ///< of the calls
  LaunchTimes gpu = {};              ///< of the device rows
  LaunchTimes delay = {};            ///< from the end of the call to the start on the device; 0 if that is earlier
  std::size_t short_kernels = 0;     ///< calls within the cutoff that take longer than their kernel
  std::size_t runtime_outliers = 0;  ///< calls beyond the cutoff
  std::size_t delay_outliers = 0;
};

struct LaunchPair {
  causal::hta::RowIndex call = 0;
  causal::hta::RowIndex device = 0;
  TimePs delay = 0;
};
/// Every row without a stream is paired with every device row of its correlation, where some call that HTA knows as a
/// launch has that correlation. `with_memory`: copies and sets as well.
std::vector<LaunchPair> launch_pairs(const causal::hta::RankRows& rank, bool with_memory);

/// A row per rank, also without pairs.
std::vector<LaunchStats> launch_stats(const causal::hta::JobRows& job, const LaunchOptions& options);

report::Sheet launches_sheet(const std::vector<LaunchStats>& stats);

}  // namespace orrery::analyze::hta

// How fast copies are, as a Sheet.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"
#include "report/sheet.h"

namespace orrery::analyze {

// How fast copies and sets are: bytes over time, over copies, and of all that run at the same time.

/// Copies of one kind on one device. Rates are in GB/s (10^9 bytes).
struct CopyRates {
  std::int64_t device = 0;
  std::string kind;  ///< "Memcpy HtoD", "Memset": the name up to its details in brackets
  std::size_t count = 0;
  std::size_t without_bytes = 0;  ///< whose size was not recorded: their time is in `time`, and in no rate
  std::uint64_t bytes = 0;
  TimePs time = 0;      ///< summed
  TimePs any_time = 0;  ///< in which at least one ran

  std::optional<double> rate;  ///< bytes / time, of those with a size
  struct OverCopies {
    double least = 0, quarter = 0, median = 0, three_quarters = 0, most = 0;
  };
  std::optional<OverCopies> per_copy;     ///< of copies that took time
  std::optional<double> concurrent;       ///< mean of what ran together, over the time in which any ran
  std::optional<double> concurrent_most;  ///< the largest that lasted any time at all
};

struct RankCopies {
  const DeviceRank* devices = nullptr;
  std::vector<CopyRates> kinds;  ///< by device, then by kind
};

std::vector<RankCopies> measure_copies(const std::vector<DeviceRank>& ranks);

/// copies: one row per rank, device and kind: bytes, time_us (summed), any_us (at least one runs), rate_gb_per_s (bytes
/// over summed time), min to max over copies, concurrent_gb_per_s (bytes over the time in which any runs),
/// concurrent_max_gb_per_s.
report::Sheet copies_sheet(const std::vector<RankCopies>& ranks);

}  // namespace orrery::analyze

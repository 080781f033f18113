// What happened to streams before and after: queue lengths, the launch before an event was recorded, the launch after a
// wait.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "causal/hta/rows.h"

namespace orrery::causal::chakra {

// The order into which numpy 1.24 brings equal keys: argsort(kind="quicksort") of 64-bit integers, which is not stable.
//
// Introsort: parts of more than 16 items are partitioned around the median of their first, middle and last, the larger
// half is put off; a part that is taken up again after more than 2 log2(n) partitions is heap-sorted; short parts are
// sorted by insertion. With distinct keys any sort gives the same; with ties the path that Chakra takes through the
// trace follows these steps.

/// Positions into `keys`, ascending by key. O(n log n).
Column<std::uint32_t> numpy_order(std::span<const std::int64_t> keys);

struct LaunchHistory {
  static constexpr std::int32_t kNoLength = -1'000'000'000;

  Column<std::int32_t>
      queue_length;          ///< per row: work waiting on the stream just after this launch or start; kNoLength
  bool has_records = false;  ///< some cudaEventRecord is waited for
  /// By correlation of the cudaEventRecord: the last launch before it on the stream it was recorded on; kNoRow if there
  /// is none.
  std::unordered_map<std::int64_t, hta::RowIndex> launch_before_record;
  /// By row of the cudaStreamWaitEvent: the next launch of its thread onto the waiting stream; kNoRow if there is none.
  std::unordered_map<hta::RowIndex, hta::RowIndex> launch_after_wait;
  /// Set: the original raises a ValueError, and goes on without synchronisation. The rest is not filled then.
  std::optional<std::string> refusal;
};

/// O(n log n). Fails where the original stops.
Result<LaunchHistory> make_launch_history(const hta::Rows& rows);

}  // namespace orrery::causal::chakra

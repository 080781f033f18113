// What happened to streams before and after: queue lengths, the launch before an event was recorded, the launch after a
// wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "causal/hta/rows.h"

namespace orrery::causal::chakra {

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

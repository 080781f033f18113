// Launches, and what CUDA events tell about them: which one an event was recorded behind, and which one a wait holds
// up.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "causal/hta/rows.h"

namespace orrery::causal::hta {

class Launches {
 public:
  explicit Launches(const Rows& rows);

  /// Calls that HTA knows as launches and that have a partner, in the order of the frame.
  [[nodiscard]] const std::vector<RowIndex>& rows() const { return rows_; }
  /// The last launch onto a stream at `time` or before; kNoRow if there is none. `process`: the pid of the kernel.
  [[nodiscard]] RowIndex last_until(TimePs time, std::int64_t stream, trace::LaneKey process) const;
  /// The first launch of a host thread onto a stream after `time`; kNoRow if there is none.
  [[nodiscard]] RowIndex first_after(TimePs time, const trace::Lane& thread, std::int64_t stream) const;

 private:
  const Rows& frame_;
  std::vector<RowIndex> rows_;
  std::map<std::pair<std::int64_t, trace::LaneKey>, std::vector<RowIndex>>
      onto_;  // by stream and pid of the kernel, in time order
  std::map<std::tuple<trace::LaneKey, trace::LaneKey, std::int64_t>, std::vector<RowIndex>>
      by_thread_;  // and stream of the kernel
};

/// A cudaEventRecord that somebody waits for.
struct EventRecord {
  RowIndex call = kNoRow;
  std::int64_t stream = -1;  ///< it was recorded on
  trace::LaneKey process;    ///< of that stream: the device
  RowIndex launch_before = kNoRow;
};
/// By start.
std::vector<EventRecord> find_event_records(const Rows& rows, const Launches& launches);

/// A cudaStreamWaitEvent with the wait that the device recorded.
struct StreamWait {
  RowIndex call = kNoRow;
  RowIndex wait = kNoRow;
  RowIndex launch_after = kNoRow;  ///< of the same thread, onto the waiting stream
};
/// In the order of the frame.
std::vector<StreamWait> find_stream_waits(const Rows& rows, const Launches& launches);

}  // namespace orrery::causal::hta

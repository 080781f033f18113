// Between which visits of rows a moment of a host thread lies.
#pragma once

#include <vector>

#include "causal/host/host_match.h"
#include "replay/torch/source/rank_source.h"
#include "trace/trace.h"

namespace orrery::replay::torch {

class RowTimes {
 public:
  /// Also sets the times of rows in `source`. O(visits).
  RowTimes(const trace::RankTrace& rank, const causal::HostMatch& match, RankSource& source);

  /// The first visit of the lane's thread after `time`; of a lane without rows, of any thread.
  [[nodiscard]] std::uint32_t visit_after(trace::LaneIndex lane, TimePs time) const;
  /// The thread that the lane is; of a lane without rows, the first.
  [[nodiscard]] std::int64_t thread_of(trace::LaneIndex lane) const { return thread_of_lane_[lane]; }
  /// When the last row ended.
  [[nodiscard]] TimePs last_end() const { return last_end_; }

 private:
  struct Mark {
    TimePs time;
    std::uint32_t visit;
  };
  std::vector<std::vector<Mark>> marks_;  // per lane, then of all; times ascend
  std::vector<std::int64_t> thread_of_lane_;
  std::uint32_t visits_;
  TimePs last_end_ = kNoTime;
};

}  // namespace orrery::replay::torch

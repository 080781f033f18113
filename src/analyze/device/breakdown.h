// Where the time of devices goes: busy with what, idle for which reason. Every moment of every device is counted once.
#pragma once

#include <array>
#include <vector>

#include "analyze/device/annotation_segments.h"
#include "analyze/device/device_gaps.h"
#include "analyze/device/device_rank.h"
#include "analyze/blame/host_wait_causes.h"

namespace orrery::analyze {

inline constexpr std::size_t kTypeSets = std::size_t{1} << kWorkTypes;

/// One device of a rank, or the sum of several (then times are those of all devices together).
struct DeviceTime {
  std::int64_t device = 0;
  TimePs window = 0;
  TimePs work_span = 0;                     ///< from the begin of the first work in the window to the end of the last
  std::array<TimePs, kTypeSets> busy = {};  ///< by the set of types that ran; [0] is idle time
  TimePs leading = 0;                       ///< idle before the first work
  TimePs trailing = 0;                      ///< idle after the last
  IdleTimes idle;
  std::vector<HostWaitCause>
      host_waits;  ///< what the host did in idle time of host_wait, which these add up to; empty in sums over devices

  [[nodiscard]] TimePs idle_time() const { return busy[0]; }
  [[nodiscard]] TimePs busy_time() const;
  /// Some work of the type ran.
  [[nodiscard]] TimePs time_of(WorkType type) const;
  /// Both ran at the same time.
  [[nodiscard]] TimePs time_of_both(WorkType a, WorkType b) const;
  /// Each moment belongs to the first of computation, communication and memory (copies and sets) that runs in it: these add up to busy_time().
  [[nodiscard]] TimePs computing() const { return time_of(WorkType::computation); }
  [[nodiscard]] TimePs exposed_communication() const;
  [[nodiscard]] TimePs exposed_memory() const;
};

struct StreamTime {
  causal::Queue queue;
  std::size_t works = 0;
  TimePs busy = 0;  ///< the union of its work
  IdleTimes idle;   ///< also while other streams of the device work
};

struct RankBreakdown {
  const DeviceRank* devices = nullptr;
  std::vector<DeviceTime> times;  ///< by device
  std::vector<StreamTime> streams;
  std::vector<AnnotationTime> host_annotations;
  std::vector<AnnotationTime> device_annotations;
};

RankBreakdown break_down(const DeviceRank& devices);
/// Of all ranks, side by side.
std::vector<RankBreakdown> break_down(const std::vector<DeviceRank>& ranks);

/// Of all devices of all ranks.
DeviceTime sum_of(const std::vector<RankBreakdown>& ranks);

/// Numbers of the steps that any rank recorded, ascending: of ProfilerStep#N, or of what has a step number.
std::vector<std::int64_t> step_numbers(const std::vector<DeviceRank>& ranks);

}  // namespace orrery::analyze

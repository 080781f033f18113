// Where the time of devices goes: busy with what, idle for which reason. Every moment of every device is counted once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/blame/host_wait_causes.h"
#include "analyze/device/annotation_segments.h"
#include "analyze/device/device_rank.h"
#include "causal/device/device_binding.h"

namespace orrery::analyze {

// Why a device or a stream did nothing: each gap, split at the moment its next work was handed over, by what bound that
// work's start.

enum class IdleReason : std::uint8_t {
  host_wait,  ///< the call that launches the next work had not handed it over (see causal::Submission), or none ever
              ///< did
  launch_latency,  ///< from then to the start
  stream_wait,     ///< it was launched, and waited for work of another stream, or for room on the device
  kernel_gap,      ///< it was queued behind other work of its stream, and the device took this long to go on
  unknown,         ///< it was launched, or its launch is not recorded, and nothing recorded held it back
  earlier_work,    ///< no idle time at all: a stream was at work that was queued before the recording began
};
inline constexpr std::size_t kIdleReasons = 6;
const char* identifier(IdleReason reason);  ///< "host_wait"
const char* to_string(IdleReason reason);   ///< "waiting for the launch call"

/// The pieces of a gap, by reason: at most two are not 0, and they add up to the gap.
using GapPieces = std::array<TimePs, kIdleReasons>;

class GapReasons {
 public:
  /// Keeps references.
  explicit GapReasons(const DeviceRank& devices);

  /// Of the gap [begin, end) that `next` ends; it may start behind the window, or be kNoWork. What bound its start is
  /// what `path` says bound it.
  [[nodiscard]] GapPieces split(TimePs begin, TimePs end, std::uint32_t next) const;
  /// The same of a device: until the last of its streams is done with earlier work, the device is not idle.
  [[nodiscard]] GapPieces split_of_device(const Stretch& stretch) const;

 private:
  const DeviceRank& devices_;
  causal::DeviceBinding binding_;
  std::vector<TimePs> occupied_until_;  // per device
};

/// Idle time of a device or a stream by reason, with every piece, and time of work from before the recording.
struct IdleTimes {
  std::array<TimePs, kIdleReasons> time = {};
  std::array<std::vector<TimePs>, kIdleReasons> pieces;

  void add(const GapPieces& gap);
  /// Idle time; earlier work is none.
  [[nodiscard]] TimePs total() const;
  [[nodiscard]] TimePs earlier() const { return time[static_cast<std::size_t>(IdleReason::earlier_work)]; }
};

inline constexpr std::size_t kTypeSets = std::size_t{1} << kWorkTypes;

/// One device of a rank, or the sum of several (then times are those of all devices together): window = busy_time() +
/// idle_time() + idle.earlier().
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
  /// Each moment belongs to the first of computation, communication and memory (copies and sets) that runs in it: these
  /// add up to busy_time().
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

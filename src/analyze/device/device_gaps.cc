#include "analyze/device/device_gaps.h"

#include <algorithm>

#include "analyze/distribution.h"

namespace orrery::analyze {
namespace {

IdleReason reason_of(causal::EdgeKind bound) {
  switch (bound) {
    case causal::EdgeKind::launch_delay:
    case causal::EdgeKind::memory_copy: return IdleReason::launch_latency;
    case causal::EdgeKind::stream_wait:
    case causal::EdgeKind::kernel: return IdleReason::stream_wait;
    case causal::EdgeKind::kernel_gap:
    case causal::EdgeKind::order: return IdleReason::kernel_gap;
    default: return IdleReason::unknown;
  }
}

}  // namespace

const char* identifier(IdleReason reason) {
  static constexpr const char* kNames[] = {"host_wait", "launch_latency", "stream_wait", "kernel_gap", "unknown"};
  return kNames[static_cast<std::size_t>(reason)];
}

const char* to_string(IdleReason reason) {
  static constexpr const char* kNames[] = {"waiting for the launch call", "launch latency", "waiting for another stream",
                                           "between queued work", "idle, cause not recorded"};
  return kNames[static_cast<std::size_t>(reason)];
}

GapPieces GapReasons::split(TimePs begin, TimePs end, std::uint32_t next) const {
  GapPieces pieces = {};
  const auto at = [&](IdleReason reason) -> TimePs& { return pieces[static_cast<std::size_t>(reason)]; };
  if (next == causal::kNoWork) {
    // Nothing was launched any more: whatever the host did, it had no work for the device.
    at(IdleReason::host_wait) = end - begin;
    return pieces;
  }
  const causal::DeviceWork& work = devices_.timeline.works[next];
  // A call that begins after its work is a clock that was corrected in between: it says nothing about the gap.
  const bool knows_launch = work.call != causal::kNoEvent && work.call_start <= work.start;
  const TimePs launched = knows_launch ? std::clamp(causal::submitted_at(work), begin, end) : begin;
  at(IdleReason::host_wait) = launched - begin;
  if (launched < end) at(reason_of(binding_.causes(next).front().kind)) += end - launched;
  return pieces;
}

void IdleTimes::add(const GapPieces& gap) {
  for (std::size_t r = 0; r < kIdleReasons; ++r) {
    if (gap[r] == 0) continue;
    time[r] += gap[r];
    pieces[r].push_back(gap[r]);
  }
}

TimePs IdleTimes::total() const {
  TimePs sum = 0;
  for (const TimePs part : time) sum = plus_capped(sum, part);
  return sum;
}

}  // namespace orrery::analyze

// Waits of host threads for the device that no call says by its name, and of which no record says what for.
//
// XLA's runtime waits with locks of its own, which no tracer sees: of `float(loss)` the profile has the call, in which
// nothing happens until the result is there; of `loss.block_until_ready()` it has nothing at all. What ends shortly
// before the thread goes on is what it waited for.
//
// A segment of a host lane in which nothing else was recorded, of at least 20 us and outside of calls into the device's
// runtime, is a wait
//   * if its innermost event waits by its name (is_waiting_call): for the last work that ended in the segment, of what
//   the thread had launched before,
//     or a helper launched for it in the segment (the copy to the host);
//   * in a profile of XLA's runtime (uses_xla_runtime), whatever it is called: for the last of all that the thread had
//   launched before or, if that is none,
//     of all that helpers launched for it (of the main thread: in a stretch of work that a helper began at most 100 us
//     after a moment of the main thread before the segment; a copy from the host), if that ended in the later half of
//     the segment, and
//       - it is a copy to the host, asked for by the call right before, which ended at most 60 us before the end of the
//       segment (the condition of a loop), or
//       - the segment has at least 200 us, and it ended before its end by at most 600 us, or 15 % of the segment but no
//       more than 3 ms. Recorded
//         returns take 80 to 600 us, at times 2.4 ms of 18.
// A call that launches is a wait for room where it lasts at least 20 us, some 1,000 launches of its stream had not
// ended when it was entered (a stream takes 1,021 of them; counted are those from 900), and work of the stream ended at
// most 50 us before it returned: for that work. Seen: 4 to 30 us.
//
// The second guess is wrong where the host computes something unrecorded for nearly as long as the device takes for
// what was launched before, in which case the host is at most 15 % longer than the device: what is said to be bound by
// the device is bound by both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "causal/device/device_timeline.h"
#include "causal/host/host_lanes.h"

namespace orrery::causal {

/// The segment `segment` of lane `lane` (a place among the lanes) did not end before `work` had.
struct SilentWait {
  std::uint32_t lane;
  std::uint32_t segment;
  std::uint32_t work;
};

/// By lane, then by time; one per segment.
std::vector<SilentWait> find_silent_waits(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const DeviceTimeline& timeline, const std::vector<HostLane>& lanes);

/// An event of the host, other than a call into the device's runtime, that by its name waits for the device:
/// "np.asarray(jax.Array)",
/// "$array.py:629 _value" (a Python frame), "$api.py:2757 block_until_ready", "Acquire semaphore".
bool is_waiting_call(std::string_view name);

/// Whether the rank's device was driven by XLA's runtime, whose waits and callbacks are not calls into the device's
/// runtime.
bool uses_xla_runtime(const trace::Trace& trace, const trace::RankTrace& rank);

/// How long after the end of device work a helper thread of XLA's runtime begins with what had to wait for it: the copy
/// to the host, the next program in the queue. Seen: 20 to 500 us.
inline constexpr TimePs kLongestCallback = 1000 * kPsPerUs;
/// A thread that begins sooner after it was given work did not wait for a device.
inline constexpr TimePs kShortestSilence = 200 * kPsPerUs;

/// The last work that ended in (after, until], kNoWork if there is none. O(log works).
std::uint32_t last_ended(const DeviceTimeline& timeline, TimePs after, TimePs until);

}  // namespace orrery::causal

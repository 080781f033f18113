// Host threads that wait for the device without a call that waits: they ask again and again.
//
// Nothing in a trace says so; this is inferred, in this order, for time in which a thread launches nothing:
//   * it asks: at least 3 calls that ask whether work is done (cudaEventQuery, cudaStreamQuery ...), no two more than 2
//   ms apart, over at least 20 us, with
//     nothing between them but Python frames and what is around them all; and work that the thread had launched before
//     ended between the last two (10 us allowed for clocks). From the first answer to the last it waited for that work;
//   * it looks at memory, in a loop: what occurs at least 8 times each, for at most 2 ms, and one of it reads a value
//   of a tensor
//     (aten::_local_scalar_dense, of pinned memory), for at least 200 us without a call of the runtime;
//   * it looks at memory, unseen: nothing is recorded (at most an annotation or a Python frame, which is not left) for
//   at least 200 us, from at most 100 us
//     after the return of a launch call.
// The last two are waits for a copy to the host that the thread launched before and that ended at most 60 us before the
// end of that time; or else for the last work that the thread launched, if that had ended by at most 60 us then or
// ended at most 120 us later: a kernel that writes memory is not over when it has written (DeepEP's notify_dispatch: 25
// to 67 us before its end).
//
// A helper thread outside of everything has nothing to do, and looks at nothing. What is a wait for another thread
// (causal/host/handoffs.h) is none for the device.
//
// An operator that launches and then looks at memory unseen is not found: the same rule inside of operators fires nine
// times in the 286 recordings that it was tried on, in aten::addmm or a convolution, where nobody waits. As it stands
// it fires in none of them but those that were made to look and ask.
//
// What a wrong guess costs: a thread that computes unseen for just as long as the work it launched looks like one that
// waits, and its time counts as the device's; `cpu` edits then save too little and `kernel` edits too much, by that
// stretch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causal/device/device_timeline.h"
#include "causal/host/handoffs.h"

namespace orrery::causal {

/// Segment `segment` of lane `lane` was spent waiting for `work`, which had ended by its end or was about to.
struct HostPoll {
  std::uint32_t lane;
  std::uint32_t segment;
  std::uint32_t work;
};

/// Asking, and looking in a loop. Makes one segment of all rounds from the first answer to the last, with the last
/// event of them: how often somebody asks is no matter. By lane, then time. O(segments + works log works).
std::vector<HostPoll> merge_polling_loops(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const HostCommunication& communication, const DeviceTimeline& timeline,
                                          std::vector<HostLane>& lanes);

/// Looking unseen. `handoffs`: by waiter, then segment. By lane, then time.
std::vector<HostPoll> find_unseen_polls(const trace::Trace& trace, const trace::RankTrace& rank,
                                        const HostCommunication& communication, const DeviceTimeline& timeline,
                                        const std::vector<HostLane>& lanes, std::span<const Handoff> handoffs);

/// A runtime call that by its name asks whether work is done, and does not wait for it.
bool is_query_call(std::string_view name);

}  // namespace orrery::causal

// Host threads that wait for one another: the main thread for the backward pass on the autograd thread, for a
// collective that a worker thread does, for a thread pool, for a data loader's helper.
//
// Nothing in a trace says that one thread waits for another, so this is inferred. A segment of at least 20 us without a
// runtime call or communication of its own (which waits for other ranks) is a wait for every thread of which one of
// these holds:
//   * it was busy for at least half of the segment, with work that it began during this wait or, having begun it during
//   an earlier wait of the
//     same thread, has not finished; where the waiter is in an operator, at most 100 us before the end of the segment,
//     and no communication;
//   * it communicated, and a collective or message of it ended in the segment;
//   * it finished something at most 100 us before the end of the segment, which is longer than 100 us; and it had begun
//   that in the segment, or
//     at most 100 us after the waiter was seen to work, which gave it the work; or the waiter asks for a lock of
//     Python, which a thread that is joined holds until its end;
//   * the waiter is inside XLA's call that executes a program, without anything recorded for 200 us or more, and the
//   thread finished in it what it had
//     begun likewise, after at least half of the segment and at most 1 ms, or a tenth of it, before its end: an
//     argument of the program, copied from the host. Seen: 48 to 95 us before, at times 310 and 930.
// A helper thread outside of everything has nothing to do: it only waits for communication. The second and the third
// only where the waiter does nothing: in no operator (a data loader's range is none), at most in an annotation or a
// Python frame. And the last of what it waits for must end in the later half of the segment, for collectives at most 1
// ms before its end: a segment that goes on for long after the work had ended was not a wait for it. A thread has
// finished when it pauses for more than 100 us.
#pragma once

#include <optional>
#include <vector>

#include "causal/host/host_communication.h"
#include "causal/host/host_lanes.h"

namespace orrery::causal {

/// The segment `segment` of lane `waiter` is a wait for lane `worker`.
struct Handoff {
  std::uint32_t waiter;
  std::uint32_t segment;
  std::uint32_t worker;
  std::optional<std::uint32_t>
      given_at;  ///< boundary of the worker at which it began what it was given; none: it was given that otherwise
  std::uint32_t back_at;  ///< boundary of the worker after which the waiter could go on
  bool handed_over;  ///< by the first rule: all of the wait is the worker's; else some time of its own follows the work
};

/// A helper thread began to work at boundary `woken_at` of lane `worker` without anybody waiting for it: something the
/// main thread did gave it the work (a prefetch, a callback). The last moment of the main thread before stands for
/// that; where it lies more than 100 us back, the last thing that ended on any other thread (a collective whose end the
/// helper waited for).
struct WakeUp {
  std::uint32_t worker;
  std::uint32_t woken_at;
  std::uint32_t waker;
  std::uint32_t waker_at;
  bool waits;  ///< the segment that begins at `waker_at` is a wait for this worker: until it is woken, the time is of
               ///< the waiter's kind
};

/// A collective of the host begins at boundary `begins_at` of lane `worker`, because of the call entered at boundary
/// `call_at` of lane `caller`, or because the worker was done with what it did before.
struct CollectiveStart {
  std::uint32_t worker;
  std::uint32_t begins_at;
  std::uint32_t caller;
  std::uint32_t call_at;
};

struct Handoffs {
  std::vector<Handoff>
      waits;  ///< by waiter, then by time, then by worker; several per segment where it waited for several threads
  std::vector<WakeUp> wakes;
  std::vector<CollectiveStart> starts;  ///< by start of the collective
  /// Per lane and segment: a pause of the lane while it had been given work, too short to be idleness.
  std::vector<std::vector<std::uint8_t>> own_pause;
  std::uint64_t waits_not_compared = 0;  ///< segments that were given up: see find_handoffs
};

/// Takes at most 256 comparisons of a wait with a worker per segment: with thousands of busy threads, the waits of the
/// later ones are not explained.
Handoffs find_handoffs(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes,
                       const HostCommunication& communication, const std::vector<AskedCollective>& asked);

}  // namespace orrery::causal

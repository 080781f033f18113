// Work handed from one host thread to another: the backward pass on the autograd thread while the main thread waits for it.
#pragma once

#include <optional>
#include <vector>

#include "link/host_lanes.h"

namespace orrery::link {

/// The segment `segment` of lane `waiter` is a wait for lane `worker`.
struct Handoff {
  std::uint32_t waiter;
  std::uint32_t segment;
  std::uint32_t worker;
  std::optional<std::uint32_t> given_at;  ///< boundary of the worker at which it began what it was given; none: it was given that earlier
  std::uint32_t back_at;                  ///< boundary of the worker after which the waiter went on
};

/// A helper thread began to work at boundary `woken_at` of lane `worker` without anybody waiting for it: something the main thread did gave it
/// the work (a prefetch, a callback). The last moment of the main thread before stands for that; where it lies more than 100 us back, the last
/// thing that ended on any other thread (a collective whose end the helper waited for).
struct WakeUp {
  std::uint32_t worker;
  std::uint32_t woken_at;
  std::uint32_t waker;
  std::uint32_t waker_at;
};

struct Handoffs {
  std::vector<Handoff> waits;  ///< by waiter, then by time
  std::vector<WakeUp> wakes;
  /// Per lane and segment: a pause of the lane while it had been given work, too short to be idleness.
  std::vector<std::vector<std::uint8_t>> own_pause;
  std::uint64_t waits_not_compared = 0;  ///< segments that were given up: see find_handoffs
};

/// Nothing in a trace says that one thread waits for another, so this is inferred: a segment of at least 20 us without a runtime call or a
/// collective (which waits for other ranks) during which another thread was busy for at least half of the time, with work that it began during this wait or, having begun it during an
/// earlier wait of the same thread, has not finished. A thread has finished when it pauses for more than 100 us. Of several workers the
/// busiest counts, the lower lane among equals.
/// Takes at most 256 comparisons of a wait with a worker per segment: with thousands of busy threads, the waits of the later ones are not
/// explained.
Handoffs find_handoffs(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes);

}  // namespace orrery::link

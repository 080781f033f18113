// What the devices of a rank did, in order, and which host call started each piece.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "causal/host/call_index.h"
#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::causal {

// Which stream of which device an event belongs to.

/// A stream of a device. Stream numbers of different devices are different queues.
struct Queue {
  std::int64_t device = 0;
  std::int64_t stream = 0;
  auto operator<=>(const Queue&) const = default;
};

class QueueIndex {
 public:
  /// O(lanes log lanes).
  QueueIndex(const trace::Trace& trace, const trace::RankTrace& rank);

  /// From the event's own arguments, else from its lane. A lane whose process or thread is a text ("stream 7") gets a
  /// number of its own, below -1, by the order of the texts.
  [[nodiscard]] Queue of(trace::EventIndex event) const;

 private:
  const trace::RankTrace& rank_;
  std::vector<Queue> of_lane_;
};

inline constexpr std::uint32_t kNoWork = ~std::uint32_t{0};

/// A call hands its work over at its end, but the device may be a little faster than the return: by 1 to 10 us in
/// recordings, of calls that last for seconds, too.
inline constexpr TimePs kLongestLead = 10 * kPsPerUs;

/// When the device came to know of work.
enum class Submission : std::uint8_t {
  at_return,  ///< the call that started it returned, and it began then or later: so it is with single pieces of work,
              ///< whatever the call did before (it may load modules for seconds)
  before_return,  ///< it began in the last 10 us of its call: the call was all but done
  within,    ///< a copy from or to ordinary memory that began in its call and ended at most 100 us after it: the call
             ///< takes part in the copying
  inside,    ///< it began well inside of its call, which went on with something else
  at_entry,  ///< no better known than that its call was entered: one of several pieces (a graph)
};

/// A kernel, copy or fill. `end` is never before `start`; where the next work of its stream begins just before it has
/// ended, it is where that begins.
struct DeviceWork {
  trace::EventIndex event;
  std::uint32_t queue;
  TimePs start;
  TimePs end;
  TimePs call_start;  ///< when `call` was entered; if there is none, when the work before it on its stream was launched
  TimePs call_end;    ///< when `call` was left; `start` if there is none
  trace::EventIndex call;  ///< the runtime call that started it; one call may start many (CUDA and HIP graphs);
                           ///< kNoEvent: not recorded
  Submission submission = Submission::at_entry;
  bool by_device = false;  ///< launched on the device, while the graph of `call` ran: the body of a conditional node
  bool may_fill_device =
      false;  ///< a kernel that computes: those of communication libraries leave most of the device to others
};

/// The moment from which nothing that the host did held the work back; its start if the launch was not recorded.
inline TimePs submitted_at(const DeviceWork& work) {
  if (work.call == kNoEvent || work.submission == Submission::before_return) return work.start;
  return work.submission == Submission::at_return ? work.call_end : work.call_start;
}

/// The moment that decides to which step work belongs: its launch, or its start where the launch was not recorded.
inline TimePs attributed_at(const DeviceWork& work) { return work.call == kNoEvent ? work.start : work.call_start; }

/// Something the program asked the device to wait for: work of one queue must not start before work of another has
/// ended.
struct StreamWait {
  std::uint32_t before;  ///< the first work of the waiting queue that it holds back
  std::uint32_t after;   ///< the work that is waited for
  auto operator<=>(const StreamWait&) const = default;
};

struct DeviceTimeline {
  TimePs recorded_from = 0;                          ///< when the first recorded work began, of the host or a device
  std::vector<Queue> queues;                         ///< ordered by device and stream
  Column<DeviceWork> works;                          ///< ordered by start, then end, launch, content
  std::vector<std::vector<std::uint32_t>> by_queue;  ///< works of each queue in order of start
  std::vector<std::vector<std::uint32_t>>
      by_launch;                         ///< works of each queue in order of their calls; those without a call by start
  Column<std::uint32_t> by_end;          ///< all works in order of end
  std::vector<StreamWait> stream_waits;  ///< from recorded waits (cuda_sync events), by `before`, then `after`
};

/// Pairs calls and device work by correlation id. Work whose start lies before its call (clocks disagree) keeps its
/// call; see step_graph. Work that the device launched itself (CUPTI gives it correlation 0, and a stream that nothing
/// else runs on) is work of the graph that runs around it, if there is just one.
DeviceTimeline make_device_timeline(const trace::Trace& trace, const trace::RankTrace& rank,
                                    const trace::ContentOrder& content, Diagnostics& diagnostics);

/// The last work of `queue` whose call was entered before `time`; kNoWork if there is none.
std::uint32_t last_launched_before(const DeviceTimeline& timeline, std::uint32_t queue, TimePs time);

/// Number of a queue, or kNoWork.
std::uint32_t find_queue(const DeviceTimeline& timeline, const Queue& queue);

}  // namespace orrery::causal

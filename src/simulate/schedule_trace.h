// A Schedule as a Trace again: what a profiler would have recorded of the simulated run. It can be looked at, and
// analysed like any other.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/interner.h"
#include "base/result.h"
#include "simulate/schedule.h"
#include "simulate/trace_rank/traced_schedule.h"

namespace orrery::simulate {

/// Activities of a rank become events of one process, whose number is the rank, on lanes in this order:
///
///   host              computes of the host (cpu_op), one lane per slot in use; the first also has what the host did
///   compute           computes of the device (kernel), one lane per slot in use
///   memory            loads and stores (gpu_memcpy; gpu_memset if their names begin with Memset)
///   comm GROUP        collectives (kernel), one lane per communicator; "comm world" for all ranks
///   messages          sends and recvs (kernel), as many lanes as overlap
///   control           what takes no time (kernel), so that dependencies through it are kept
///
/// Lanes of the device are streams of a device whose number is the rank. Time 0 of the schedule is one second after the
/// epoch, so that nothing is negative.
///
/// With TraceDetail::causes every dependency between lanes of the device is a recorded event and a wait for it
/// (cudaEventRecord, cudaStreamWaitEvent, "Stream Wait Event"); a host compute that comes after device work is preceded
/// by a wait for it (cudaEventSynchronize); and the run ends with a cudaDeviceSynchronize. Calls are two picoseconds
/// apart. Those for work that comes after no host compute are made before time 0; the others at the end of the host
/// compute they come after. So the step is longer than the schedule by two picoseconds for each such piece of work and
/// one more, and by one in the end, when the host has noticed.
class ScheduleTracer {
 public:
  /// An Error if the schedule is not one of this workload. Both must outlive the tracer.
  static Result<ScheduleTracer> make(const workload::Workload& workload, const Schedule& schedule);

  using Rank = TracedRank;
  /// Texts go to `strings`. O(n log n). May be called from several threads, each with its own `strings`.
  [[nodiscard]] Rank trace_rank(std::uint32_t rank, TraceDetail detail, Interner& strings) const;

  /// The collective or message that an activity is part of, if it is one.
  [[nodiscard]] const CollectiveUse* collective_of(std::uint32_t rank, std::uint32_t activity) const {
    return traced_.collective_of(rank, activity);
  }
  [[nodiscard]] std::optional<Message> message_of(std::uint32_t rank, std::uint32_t activity) const {
    return traced_.message_of(rank, activity);
  }

 private:
  explicit ScheduleTracer(TracedSchedule traced) : traced_(std::move(traced)) {}

  TracedSchedule traced_;
};

}  // namespace orrery::simulate

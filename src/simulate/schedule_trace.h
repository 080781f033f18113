// A Schedule as a Trace again: what a profiler would have recorded of the simulated run. It can be looked at, and analysed like any other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "simulate/engine/job_plan.h"
#include "simulate/schedule.h"
#include "trace/trace.h"

namespace orrery::simulate {

enum class TraceDetail : std::uint8_t {
  timeline,  ///< the activities, and arrows for messages
  causes,    ///< also what the host did: launches, waits between streams and for the device, a ProfilerStep#0. The critical path needs it
};

/// Activities of a rank become events of one process, whose number is the rank, on lanes in this order:
///
///   host              computes of the host (cpu_op), one lane per slot in use; the first also has what the host did
///   compute           computes of the device (kernel), one lane per slot in use
///   memory            loads and stores (gpu_memcpy)
///   comm GROUP        collectives (kernel), one lane per communicator; "comm world" for all ranks
///   messages          sends and recvs (kernel), as many lanes as overlap
///   control           what takes no time (kernel), so that dependencies through it are kept
///
/// Lanes of the device are streams of a device whose number is the rank. Time 0 of the schedule is one second after the epoch, so that
/// nothing is negative.
///
/// With TraceDetail::causes every dependency between lanes of the device is a recorded event and a wait for it (cudaEventRecord,
/// cudaStreamWaitEvent, "Stream Wait Event"); a host compute that comes after device work is preceded by a wait for it
/// (cudaEventSynchronize); and the run ends with a cudaDeviceSynchronize. Calls are two picoseconds apart. Those for work that comes after
/// no host compute are made before time 0; the others at the end of the host compute they come after. So the step is longer than the
/// schedule by two picoseconds for each such piece of work and one more, and by one in the end, when the host has noticed.
class ScheduleTracer {
 public:
  /// An Error if the schedule is not one of this workload. Both must outlive the tracer.
  static Result<ScheduleTracer> make(const workload::Workload& workload, const Schedule& schedule);

  struct Rank {
    trace::RankTrace trace;
    std::vector<std::uint32_t> activity_of_event;  ///< number within the rank; kNone: not an activity
  };
  /// Texts go to `strings`. O(n log n). May be called from several threads, each with its own `strings`.
  [[nodiscard]] Rank trace_rank(std::uint32_t rank, TraceDetail detail, Interner& strings) const;

  /// The collective or message that an activity is part of, if it is one.
  [[nodiscard]] const CollectiveUse* collective_of(std::uint32_t rank, std::uint32_t activity) const;
  [[nodiscard]] std::optional<Message> message_of(std::uint32_t rank, std::uint32_t activity) const;

 private:
  ScheduleTracer(const workload::Workload& workload, const Schedule& schedule, JobPlan plan)
      : workload_(&workload), schedule_(&schedule), plan_(std::move(plan)) {
    for (const Message& message : schedule.taken) {
      taken_[{message.source, message.send}] = message;
      taken_[{message.target, message.recv}] = message;
    }
  }

  const workload::Workload* workload_;
  const Schedule* schedule_;
  JobPlan plan_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Message> taken_;  // by rank and activity of both sides
};

}  // namespace orrery::simulate

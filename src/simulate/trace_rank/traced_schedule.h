// What is traced: a schedule, the workload it is of, and who belonged together in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "simulate/engine/program_plan.h"
#include "simulate/schedule.h"
#include "trace/trace.h"

namespace orrery::simulate {

enum class TraceDetail : std::uint8_t {
  timeline,  ///< the activities, and arrows for messages
  causes,    ///< also what the host did: launches, waits between streams and for the device, a ProfilerStep#0. The
             ///< critical path needs it
};

struct TracedRank {
  trace::RankTrace trace;
  std::vector<std::uint32_t> activity_of_event;  ///< number within the rank; kNone: not an activity
};

class TracedSchedule {
 public:
  /// `schedule` must outlive this, and so must the workload of the plan.
  TracedSchedule(const Schedule& schedule, JobPlan plan);

  [[nodiscard]] const workload::Workload& workload() const { return plan_.workload(); }
  [[nodiscard]] const Schedule& schedule() const { return *schedule_; }
  [[nodiscard]] const JobPlan& plan() const { return plan_; }

  /// The collective or message that an activity is part of, if it is one.
  [[nodiscard]] const CollectiveUse* collective_of(std::uint32_t rank, std::uint32_t activity) const;
  [[nodiscard]] std::optional<Message> message_of(std::uint32_t rank, std::uint32_t activity) const;

 private:
  const Schedule* schedule_;
  JobPlan plan_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Message> taken_;  // by rank and activity of both sides
};

}  // namespace orrery::simulate

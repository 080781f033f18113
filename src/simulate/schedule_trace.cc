#include "simulate/schedule_trace.h"

#include <fmt/format.h>

#include "simulate/trace_rank/rank_tracer.h"

namespace orrery::simulate {

Result<ScheduleTracer> ScheduleTracer::make(const workload::Workload& workload, const Schedule& schedule) {
  if (Status status = schedule.check(); !status) return status.error();
  Result<JobPlan> plan = plan_job(workload, {});
  if (!plan) return plan.error();
  const bool has_collectives =
      schedule.collectives.size() == plan->matching.collective_count() || schedule.collectives.empty();
  if (plan->first_activity.back() != schedule.activity_count() || !has_collectives) {
    return Error{.message = fmt::format("the schedule has {} activities and {} collectives, the workload {} and {}",
                                        schedule.activity_count(), schedule.collectives.size(),
                                        plan->first_activity.back(), plan->matching.collective_count())};
  }
  return ScheduleTracer(TracedSchedule(schedule, std::move(*plan)));
}

ScheduleTracer::Rank ScheduleTracer::trace_rank(std::uint32_t rank, TraceDetail detail, Interner& strings) const {
  return RankTracer(traced_, rank, strings).trace(detail);
}

}  // namespace orrery::simulate

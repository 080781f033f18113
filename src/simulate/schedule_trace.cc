#include "simulate/schedule_trace.h"

#include <fmt/format.h>

#include "simulate/trace_rank/rank_tracer.h"

namespace orrery::simulate {

Result<ScheduleTracer> ScheduleTracer::make(const workload::Workload& workload, const Schedule& schedule) {
  if (Status status = schedule.check(); !status) return status.error();
  Result<JobPlan> plan = plan_job(workload, {});
  if (!plan) return plan.error();
  const bool has_collectives = schedule.collectives.size() == plan->matching.collective_count() || schedule.collectives.empty();
  if (plan->first_activity.back() != schedule.activity_count() || !has_collectives) {
    return Error{.message =
                     fmt::format("the schedule has {} activities and {} collectives, the workload {} and {}", schedule.activity_count(),
                                 schedule.collectives.size(), plan->first_activity.back(), plan->matching.collective_count())};
  }
  return ScheduleTracer(workload, schedule, std::move(*plan));
}

ScheduleTracer::Rank ScheduleTracer::trace_rank(std::uint32_t rank, TraceDetail detail, Interner& strings) const {
  return RankTracer(*this, *workload_, plan_, *schedule_, rank, strings).trace(detail);
}

const CollectiveUse* ScheduleTracer::collective_of(std::uint32_t rank, std::uint32_t activity) const {
  if (plan_.of_rank(rank).activities[activity].resource != Resource::collective || schedule_->collectives.empty()) return nullptr;
  return &schedule_->collectives[plan_.matching.operation(rank, activity)];
}

std::optional<Message> ScheduleTracer::message_of(std::uint32_t rank, std::uint32_t activity) const {
  const Resource resource = plan_.of_rank(rank).activities[activity].resource;
  if (resource != Resource::send && resource != Resource::recv) return std::nullopt;
  if (const auto taken = taken_.find({rank, activity}); taken != taken_.end()) return taken->second;
  return plan_.matching.message(rank, activity);
}

}  // namespace orrery::simulate

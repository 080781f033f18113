#include "simulate/schedule_trace.h"

#include <fmt/format.h>

#include "simulate/trace_rank/rank_tracer.h"

namespace orrery::simulate {

Result<ScheduleTracer> ScheduleTracer::make(const workload::Workload& workload, const Schedule& schedule) {
  if (Status status = schedule.check(); !status) return status.error();
  Result<JobPlan> plan = plan_job(workload, {});
  if (!plan) return plan.error();
  const bool has_collectives = schedule.collectives.size() == plan->collective_count || schedule.collectives.empty();
  if (plan->first_activity.back() != schedule.activity_count() || !has_collectives) {
    return Error{.message =
                     fmt::format("the schedule has {} activities and {} collectives, the workload {} and {}", schedule.activity_count(),
                                 schedule.collectives.size(), plan->first_activity.back(), plan->collective_count)};
  }
  return ScheduleTracer(workload, schedule, std::move(*plan));
}

ScheduleTracer::Rank ScheduleTracer::trace_rank(std::uint32_t rank, TraceDetail detail, Interner& strings) const {
  return RankTracer(*this, *workload_, plan_, *schedule_, rank, strings).trace(detail);
}

const CollectiveUse* ScheduleTracer::collective_of(std::uint32_t rank, std::uint32_t activity) const {
  const std::uint32_t program = workload_->program_of_rank[rank];
  const ProgramPlan& plan = plan_.programs[program];
  if (plan.activities[activity].resource != Resource::collective || schedule_->collectives.empty()) return nullptr;
  const Communicator& communicator = plan_.communicators[plan_.communicator_of[program][plan.activities[activity].stream]];
  return &schedule_->collectives[communicator.first_operation + plan.activities[activity].place];
}

const Message* ScheduleTracer::message_of(std::uint32_t rank, std::uint32_t activity) const {
  const ProgramPlan& plan = plan_.programs[workload_->program_of_rank[rank]];
  const Resource resource = plan.activities[activity].resource;
  if (resource != Resource::send && resource != Resource::recv) return nullptr;
  return &plan_.messages[plan_.message_numbers[plan_.first_message[rank] + plan.activities[activity].stream]];
}

}  // namespace orrery::simulate

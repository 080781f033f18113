#include "simulate/trace_rank/traced_schedule.h"

namespace orrery::simulate {

TracedSchedule::TracedSchedule(const Schedule& schedule, JobPlan plan) : schedule_(&schedule), plan_(std::move(plan)) {
  for (const Message& message : schedule.taken) {
    taken_[{message.source, message.send}] = message;
    taken_[{message.target, message.recv}] = message;
  }
}

const CollectiveUse* TracedSchedule::collective_of(std::uint32_t rank, std::uint32_t activity) const {
  if (plan_.of_rank(rank).activities[activity].resource != Resource::collective || schedule_->collectives.empty())
    return nullptr;
  return &schedule_->collectives[plan_.matching.operation(rank, activity)];
}

std::optional<Message> TracedSchedule::message_of(std::uint32_t rank, std::uint32_t activity) const {
  const Resource resource = plan_.of_rank(rank).activities[activity].resource;
  if (resource != Resource::send && resource != Resource::recv) return std::nullopt;
  // Receives that were open to several messages: only the run knows which they took.
  if (const auto taken = taken_.find({rank, activity}); taken != taken_.end()) return taken->second;
  return plan_.matching.message(rank, activity);
}

}  // namespace orrery::simulate

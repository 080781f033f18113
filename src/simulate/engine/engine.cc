#include "simulate/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/engine/job_plan.h"
#include "simulate/engine/run.h"

namespace orrery::simulate {
namespace {

// Whether every rank does the same at the same time: one program, no messages, every communicator has all ranks.
bool ranks_behave_alike(const workload::Workload& workload, const JobPlan& plan) {
  const auto& programs = workload.program_of_rank;
  const bool one_program = std::all_of(programs.begin(), programs.end(), [&](std::uint32_t program) { return program == programs[0]; });
  return one_program && plan.messages.empty() &&
         std::all_of(plan.communicators.begin(), plan.communicators.end(),
                     [&](const Communicator& communicator) { return communicator.ranks.size() == workload.rank_count(); });
}

// Rank 0's times for everybody.
void copy_to_all_ranks(std::size_t rank_count, Schedule& schedule) {
  const std::size_t activities = schedule.start_ps.size();
  for (Column<TimePs>* column : {&schedule.start_ps, &schedule.end_ps}) {
    column->resize_uninitialized(activities * rank_count);
    for (std::size_t rank = 1; rank < rank_count; ++rank) std::copy_n(column->data(), activities, column->data() + rank * activities);
  }
  schedule.ranks.resize(rank_count, schedule.ranks[0]);
}

void add_links(const NetworkModel& network, Schedule& schedule) {
  for (const LinkUse& use : network.link_uses()) {
    schedule.link_bytes.push_back(use.bytes);
    schedule.link_busy_ps.push_back(use.busy_ps);
    schedule.link_peak_sharing.push_back(use.peak_sharing);
  }
}

}  // namespace

Result<Schedule> execute(const workload::Workload& workload, NetworkModel& network, const EngineOptions& options) {
  if (Status status = options.check(); !status) return status.error();
  const Result<JobPlan> plan = plan_job(workload, options);
  if (!plan) return plan.error();
  const auto rank_count = static_cast<std::uint32_t>(workload.rank_count());
  const bool alike = options.use_symmetry && rank_count > 1 && ranks_behave_alike(workload, *plan);
  Result<Schedule> schedule = Run(workload, *plan, network, options, alike ? 1 : rank_count).execute();
  if (!schedule) return schedule;
  if (alike) copy_to_all_ranks(rank_count, *schedule);
  add_links(network, *schedule);
  if (Status status = schedule->check(); !status) return Error{.message = "the simulation went wrong: " + status.error().message};
  return schedule;
}

}  // namespace orrery::simulate

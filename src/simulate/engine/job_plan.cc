#include "simulate/engine/job_plan.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

namespace orrery::simulate {
namespace {

Status plan_programs(const workload::Workload& workload, const EngineOptions& options, JobPlan& plan) {
  plan.programs.resize(workload.programs.size());
  std::vector<bool> planned(workload.programs.size());
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t program = workload.program_of_rank[rank];
    if (program >= planned.size()) return Error{.message = fmt::format("rank {} runs program {}, which does not exist", rank, program)};
    if (planned[program]) continue;
    Result<ProgramPlan> made = plan_program(workload, rank, options);
    if (!made) return made.error();
    plan.programs[program] = std::move(*made);
    planned[program] = true;
  }
  return {};
}

}  // namespace

Result<JobPlan> plan_job(const workload::Workload& workload, const EngineOptions& options) {
  if (workload.rank_count() > std::numeric_limits<std::int32_t>::max()) return Error{.message = "there are more than 2^31 ranks"};
  JobPlan plan;
  if (Status status = plan_programs(workload, options, plan); !status) return status.error();
  plan.all_ranks.resize(workload.rank_count());
  std::iota(plan.all_ranks.begin(), plan.all_ranks.end(), 0);
  plan.first_activity = workload.first_activities();
  plan.first_stream.push_back(0);
  plan.first_message.push_back(0);
  for (const std::uint32_t program : workload.program_of_rank) {
    plan.first_stream.push_back(plan.first_stream.back() + plan.programs[program].streams.size());
    plan.first_message.push_back(plan.first_message.back() + plan.programs[program].messages.size());
  }
  if (Status status = match_collectives(workload, plan); !status) return status.error();
  if (Status status = match_messages(workload, plan); !status) return status.error();
  return plan;
}

}  // namespace orrery::simulate

#include "simulate/engine/job_plan.h"

namespace orrery::simulate {
namespace {

Status plan_programs(const workload::Workload& workload, const EngineOptions& options, JobPlan& plan) {
  plan.programs.resize(workload.programs.size());
  std::vector<bool> planned(workload.programs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t program = workload.program_of_rank[rank];
    if (planned[program]) continue;
    Result<ProgramPlan> made =
        plan_program(workload, rank, workload.programs[program], plan.matching.lines_of_program(program), options);
    if (!made) return made.error();
    plan.programs[program] = std::move(*made);
    planned[program] = true;
  }
  return {};
}

}  // namespace

Result<JobPlan> plan_job(const workload::Workload& workload, const EngineOptions& options) {
  Result<workload::Matching> matching = workload::Matching::of(workload);
  if (!matching) return matching.error();
  JobPlan plan{std::move(*matching), {}, workload.first_activities(), options.replay};
  if (Status status = plan_programs(workload, options, plan); !status) return status.error();
  return plan;
}

}  // namespace orrery::simulate

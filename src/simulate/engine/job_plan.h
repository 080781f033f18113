// All of a job that is in memory: who belongs together, and the tables of every program. For what is asked of a
// schedule that was kept.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "simulate/engine/program_plan.h"
#include "workload/matching.h"

namespace orrery::simulate {

using workload::Communicator;
using workload::Message;

struct JobPlan {
  workload::Matching matching;
  std::vector<ProgramPlan> programs;
  std::vector<std::uint64_t> first_activity;  ///< per rank, and the total
  bool is_replay = false;                     ///< planned as EngineOptions::replay has it: nothing queues up

  [[nodiscard]] const workload::Workload& workload() const { return matching.workload(); }
  [[nodiscard]] const ProgramPlan& of_rank(std::uint32_t rank) const {
    return programs[workload().program_of_rank[rank]];
  }
};

/// An Error if what should match does not (see workload::Matching), or an activity's duration or size cannot be.
/// `workload` must outlive the plan.
Result<JobPlan> plan_job(const workload::Workload& workload, const EngineOptions& options);

}  // namespace orrery::simulate

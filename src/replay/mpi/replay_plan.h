// A workload as the programs that the processes of a replay execute.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "replay/mpi/rank_program.h"
#include "simulate/engine/program_plan.h"
#include "workload/matching.h"
#include "workload/workload.h"

namespace orrery::replay {

class ReplayPlan {
 public:
  /// Everything that can be known before anything runs is looked at: partners (workload/matching.h), sizes and tags
  /// that MPI has. `workload` must outlive the plan.
  static Result<ReplayPlan> of(const workload::Workload& workload);

  [[nodiscard]] const workload::Workload& workload() const { return matching_.workload(); }
  [[nodiscard]] const workload::Matching& matching() const { return matching_; }
  [[nodiscard]] RankProgram program(std::uint32_t rank) const;

 private:
  explicit ReplayPlan(workload::Matching matching) : matching_(std::move(matching)) {}
  Status plan_programs();
  Status number_tags();
  Status check_sizes() const;
  void find_roles();

  workload::Matching matching_;
  std::vector<simulate::ProgramPlan> plans_;   // by program
  std::map<std::int64_t, std::int32_t> tags_;  // renamed, where some are beyond MPI's; empty: as they are
  std::vector<StringId> message_roles_;        // roles in which messages are sent
  std::vector<std::int64_t> largest_to_;       // by rank: the largest message that may come
};

}  // namespace orrery::replay

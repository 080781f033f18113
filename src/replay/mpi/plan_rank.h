// The operations of one rank, from its program and from whom it belongs together with.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/mpi/rank_program.h"
#include "simulate/engine/program_plan.h"
#include "workload/matching.h"

namespace orrery::replay {

/// What a ReplayPlan knows that concerns a rank.
struct RankFacts {
  const workload::Matching& matching;
  const simulate::ProgramPlan& program;
  const std::map<std::int64_t, std::int32_t>& tags;
  const std::vector<StringId>& message_roles;
  std::int64_t largest_message = 0;  ///< that may come
};

RankProgram plan_rank(const RankFacts& facts, std::uint32_t rank);

}  // namespace orrery::replay

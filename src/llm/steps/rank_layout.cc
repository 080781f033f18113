#include "llm/steps/rank_layout.h"

namespace orrery::llm {

RoleNames lay_out(const StepPlan& plan, workload::Workload& workload) {
  RoleNames names{};
  for (std::size_t i = 0; i < kParallelAxes; ++i) {
    const auto axis = static_cast<ParallelAxis>(i);
    names[i] = workload.strings.intern(kParallelAxisNames[i]);
    if (ranks_along(plan, axis) > 1) workload.roles.push_back({names[i], layout_of(plan, axis)});
  }
  for (std::uint32_t s = 0; s < plan.stages(); ++s)
    workload.program_of_rank.resize(workload.program_of_rank.size() + plan.stage_ranks(), s);
  return names;
}

workload::Activity activity_of(const Piece& piece, const RoleNames& roles, Interner& strings) {
  workload::Activity activity{.name = strings.intern(to_string(piece.name)),
                              .kind = workload::ActivityKind::compute,
                              .duration_ps = piece.duration_ps,
                              .lane = kComputeLane};
  if (!piece.is_collective) return activity;
  activity.kind = workload::ActivityKind::collective;
  activity.flags = workload::activity::kHasBytes;
  activity.bytes = piece.bytes;
  activity.collective = piece.collective;
  activity.group_name = roles[static_cast<std::size_t>(piece.axis)];
  activity.lane = lane_of(piece.axis);
  return activity;
}

}  // namespace orrery::llm

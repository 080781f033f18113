// How ranks of a job are laid out, as roles of a workload, and what a piece of a passage is there.
#pragma once

#include <array>

#include "llm/steps/passage.h"
#include "llm/steps/step_plan.h"
#include "workload/program_builder.h"
#include "workload/workload.h"

namespace orrery::llm {

/// The streams of a device, as the lanes of activities: computing, then one per axis.
inline constexpr std::int32_t kComputeLane = 0;
inline constexpr std::int32_t lane_of(ParallelAxis axis) { return 1 + static_cast<std::int32_t>(axis); }

/// By axis: the name of its role in Workload::strings, whether or not there is such a role.
using RoleNames = std::array<StringId, kParallelAxes>;

/// Ranks are laid out as Megatron does: neighbours are a tensor group, then come context, data and the pipeline;
/// experts are spread over neighbours of a stage. Roles are called as kParallelAxisNames, and are there where they have
/// more than one rank. Program s is that of stage s.
RoleNames lay_out(const StepPlan& plan, workload::Workload& workload);

/// The activity that a piece becomes; its id is left open.
workload::Activity activity_of(const Piece& piece, const RoleNames& roles, Interner& strings);

}  // namespace orrery::llm

// A training step on a box of a few devices in pairs, joined by one link that all groups across share: what combination
// of parallelism suits it.
#pragma once

#include "llm/closed_forms/fsdp_constants.h"
#include "llm/closed_forms/fsdp_step.h"
#include "llm/closed_forms/pair_constants.h"

namespace orrery::llm {

/// Seconds of a llama with untied head, micro-batches of `job.micro_batch`. Ranks are numbered tensor first, then
/// context, data, pipeline.
double pair_step_seconds(const machine::Device& device, const FsdpConstants& stack, const PairConstants& constants,
                         const FsdpModel& model, const ParallelJob& job);

}  // namespace orrery::llm

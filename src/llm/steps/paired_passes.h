// A forward pass of one micro-batch and a backward pass of another one, run as one: while the tokens of one of them are
// on their way to or from their experts, the other one computes. One stream computes, one carries tokens, both in the
// order of the items; nothing else is assumed. DeepSeek-V3's DualPipe does so, and Megatron-Core's overlap of expert
// parallelism with 1F1B.
#pragma once

#include "llm/steps/layer_schedule.h"

namespace orrery::llm {

/// Pieces of both in turn, each up to where it would wait for tokens; the backward pass begins, since its first item
/// is an exchange. Both have ended when the paired schedule has.
LayerSchedule pair_passes(const LayerSchedule& forward, const LayerSchedule& backward);

}  // namespace orrery::llm

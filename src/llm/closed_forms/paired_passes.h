// A forward pass of one micro-batch and a backward pass of another one, run as one: while the tokens of one of them are
// on their way to or from their experts, the other one computes. One stream computes, one carries tokens, both in the
// order of the pieces; nothing else is assumed. DeepSeek-V3's DualPipe does so, and Megatron-Core's overlap of expert
// parallelism with 1F1B.
#pragma once

#include "llm/steps/passage.h"

namespace orrery::llm {

/// Pieces of both in turn, each up to where it would wait for tokens; the backward pass begins, since its first piece
/// is an exchange. Both have ended when the paired passage has.
Passage pair_passes(const Passage& forward, const Passage& backward);

}  // namespace orrery::llm

// Gradients outlive their last use: parameters hold them until the optimizer is told to let go of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "replay/torch/build/lifetimes.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// Lifetimes, ascending, and the visit until which each is held: what an Optimizer.step reads and did not make lives
/// until the next Optimizer.zero_grad ends, or to the end of the recording. PyTorch records both ranges by itself.
/// O(rows + uses of the optimizer).
std::vector<std::pair<std::uint32_t, std::uint32_t>> held_gradients(const RankSource& source,
                                                                    const trace::HostArguments& arguments,
                                                                    const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch

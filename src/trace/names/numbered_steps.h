// Steps of training and inference that programs mark by numbered ranges: "step 3", "iteration 3 (warmup)".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::trace {

/// The number that such a name ends in, and what stands before it.
struct NumberedName {
  std::string_view family;  ///< "train_step_"
  std::int64_t number = 0;
};
/// Names whose last word is step, iteration, iter or batch, in any case and spelling: "ProfilerStep#3", "step 3",
/// "train_step_3", "Iteration 3", "batch 3 (epoch 1)". Others, "layer 3", are no steps.
std::optional<NumberedName> read_numbered_name(std::string_view name);

/// Gives annotations the field `step` where those of one thread and family have numbers that rise and do not overlap,
/// at least two. Of several families the outermost, which is the one that takes most time. O(annotations log
/// annotations).
void mark_numbered_steps(const Interner& strings, RankTrace& rank);

}  // namespace orrery::trace

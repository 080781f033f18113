// Where what was asked for in the background has to be over.
#pragma once

#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

/// Adds a completion for each collective in the background before the first entry that uses what it wrote or writes
/// what it sends, unless there is one before that; of one that nobody does that to, at the end of the step. What would
/// be freed while it is sent or received is freed after that. O(list log list).
void add_completions(OperationList& list);

}  // namespace orrery::replay::torch

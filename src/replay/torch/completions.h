// Where what was asked for in the background has to be over.
#pragma once

#include "replay/torch/operation_list.h"

namespace orrery::replay::torch {

/// Adds a completion for each collective in the background before the first entry that uses what it wrote, or writes or frees what it sends; of
/// one that nobody does that to, at the end. O(list).
void add_completions(OperationList& list);

}  // namespace orrery::replay::torch

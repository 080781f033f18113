// Where what was asked for in the background has to be over.
#pragma once

#include <cstdint>

#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

// Waits between streams that the recording does not tell: what uses a storage comes after what wrote it.

/// Adds a record after each operation whose result another stream uses without having waited for it, and a wait before
/// the use. Returns how many waits it added. O(entries times streams).
std::uint64_t add_data_waits(OperationList& list);

// Streams of an operation list: only those that it uses, the one that does most first.

/// The most entries make the most: what runs where nobody names a stream is what nearly all is on.
void put_busiest_stream_first(OperationList& list);

/// Adds a completion for each collective in the background before the first entry that uses what it wrote or writes
/// what it sends, unless there is one before that; of one that nobody does that to, at the end of the step. What would
/// be freed while it is sent or received is freed after that. O(list log list).
void add_completions(OperationList& list);

}  // namespace orrery::replay::torch

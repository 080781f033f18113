// Waits between streams that the recording does not tell: what uses a storage comes after what wrote it.
#pragma once

#include <cstdint>

#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

/// Adds a record after each operation whose result another stream uses without having waited for it, and a wait before
/// the use. Returns how many waits it added. O(entries times streams).
std::uint64_t add_data_waits(OperationList& list);

}  // namespace orrery::replay::torch

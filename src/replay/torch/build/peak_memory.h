// How much memory an operation list needs.
#pragma once

#include "replay/torch/build/operation_list.h"

namespace orrery::replay::torch {

/// Bytes of device storages that are alive at once at most; what operators use inside of themselves comes on top.
/// O(list).
std::int64_t peak_bytes(const OperationList& list);

}  // namespace orrery::replay::torch

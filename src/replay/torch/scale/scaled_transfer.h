// A communication that carries more or less than it was recorded to.
#pragma once

#include <cstdint>
#include <optional>

#include "replay/torch/build/collective_call.h"

namespace orrery::replay::torch {

/// The call with tensors that have `factor` times as many elements, rounded so that all members agree: where parts are
/// equal the part of a member is rounded, else each part is; what had elements keeps at least one. Tensors are flat and
/// begin their storage. Nothing if that is more than any memory holds. `members`: of its group.
std::optional<CollectiveCall> scale_transfer(const CollectiveCall& call, double factor, std::int64_t members);

}  // namespace orrery::replay::torch

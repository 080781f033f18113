// Operators of PyTorch that treat their dimensions alike, by name.
#pragma once

#include <string_view>

namespace orrery::replay::torch {

enum class OperatorFamily {
  pointwise,         ///< element by element, with broadcasting; also along a dimension (softmax, cumsum)
  reduction,         ///< along dimensions that the result lacks, or has with one element
  shaped_by_memory,  ///< views, and memory that is made: what is returned is on a storage, which says all
  other
};

/// `name`: without "aten::" and without the _ of what is done in place.
OperatorFamily family_of(std::string_view name);

}  // namespace orrery::replay::torch

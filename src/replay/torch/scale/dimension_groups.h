// Dimensions of a call's tensors that are the same one.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::replay::torch {

struct DimensionRef {
  std::uint32_t tensor;  ///< into RecordedCall::tensors
  std::uint32_t dimension;
};

/// What is scaled of one of them is scaled of all. A dimension that is in no group cannot be scaled.
struct DimensionGroup {
  std::vector<DimensionRef> members;  ///< of one size, above 1
  bool is_joined = false;             ///< of cat: the first is as long as all others together
};

}  // namespace orrery::replay::torch

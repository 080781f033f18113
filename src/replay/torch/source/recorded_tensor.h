// A tensor among the arguments or results of a row of a host trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/torch/write/torch_words.h"

namespace orrery::replay::torch {

/// A tensor as one row saw it.
struct RecordedTensor {
  std::string descriptor;  ///< ["bfloat16",[2048,512],[512,1],0]
  ElementType type;
  std::vector<std::int64_t> shape, stride;
  std::int64_t offset;        ///< in elements, as the strides
  std::int64_t extent_bytes;  ///< from the begin of its storage to the end of its last element
  std::uint32_t use;          ///< the row's use-th tensor, inputs first (trace::HostArguments)
  std::int32_t argument;      ///< the schema's argument it belongs to; of what is returned -1
};

}  // namespace orrery::replay::torch

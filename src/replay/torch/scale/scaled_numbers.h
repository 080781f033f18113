// The numbers among the arguments of a call that are sizes of its tensors: of view, arange, as_strided, layer_norm.
#pragma once

#include <vector>

#include "replay/torch/source/recorded_call.h"
#include "replay/torch/scale/scale_request.h"

namespace orrery::replay::torch {

/// Writes the form of `call` again, whose tensors have been scaled; `before` are these as they were. False if a number that should be a size of one of them
/// is none.
bool scale_numbers(const trace::HostTrace& host, std::uint32_t row, const pytorch_et::OperatorSchema& schema,
                   const std::vector<RecordedTensor>& before, const Factor& factor, RecordedCall& call);

}  // namespace orrery::replay::torch

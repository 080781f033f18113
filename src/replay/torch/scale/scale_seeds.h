// Where a dimension that is to be scaled is found first: in the data that the job was given.
#pragma once

#include <vector>

#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/scale/scale_request.h"

namespace orrery::replay::torch {

/// A dimension of a tensor of a call.
struct ScaleSeed {
  std::uint32_t call;  ///< into ChosenCalls::calls
  std::uint32_t tensor;
  std::uint32_t dimension;
};

/// Of `batch` the first dimension of the data, of `sequence` the second. Data is, the first of these that there is:
/// what is copied from the host to the device; integers that were there before and are used as indices; what is filled
/// with random numbers; what was there before and is never written, where other things that were there are (those are
/// parameters). Of several tensors the largest says the size, and what was there before and lies in memory as it does
/// is data too: that of the first step, copied before it. Of `size:N` every dimension of that size of what was there
/// before, or if there is none, of anything. Empty if there is none.
std::vector<ScaleSeed> find_scale_seeds(const ScaleRequest& request, const trace::HostTrace& host,
                                        const Schemas& schemas, const ChosenCalls& chosen,
                                        const trace::HostArguments& arguments, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch

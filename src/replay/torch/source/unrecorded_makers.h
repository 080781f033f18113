// Storages that were made where nobody recorded it: by compiled code, say, whose kernels are known and whose operators
// are not.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "replay/torch/build/lifetimes.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/scale/scaled_memory.h"
#include "replay/torch/source/rank_source.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

// What is not called again has no sizes that could be scaled: whether it stands in the way.

/// An Error for device work that is replaced by work of its recorded duration.
Status check_all_callable(const RankSource& source, const ChosenCalls& chosen);

/// After dimensions were followed: an Error for a row that is not called again, and makes of scaled tensors something
/// that calls use and no call writes. Nobody knows what sizes that has.
Status check_rows_between(const trace::HostTrace& host, const Schemas& schemas, const trace::HostArguments& arguments,
                          const ChosenCalls& chosen, const Lifetimes& lifetimes, const TensorSites& sites,
                          const ScaledMemory& memory, const ScaleRefusals& refusals);

// Which step of the recording something is part of.

/// Per visit the number of the step that it lies in, from 1 on; 0: before the first, or there are none.
std::vector<std::uint32_t> steps_of_visits(const RankSource& source);

/// Per lifetime, 1 if it is one: nothing recorded made it, work that cannot be called came before it, and of several
/// steps only one mentions it, as parameters and the optimizer's state do not. O(uses).
std::vector<std::uint8_t> find_unrecorded_makers(const RankSource& source, const ChosenCalls& chosen,
                                                 const trace::HostArguments& arguments, const Lifetimes& lifetimes);

}  // namespace orrery::replay::torch

// What is not called again has no sizes that could be scaled: whether it stands in the way.
#pragma once

#include "base/result.h"
#include "replay/torch/scale/scale_refusals.h"
#include "replay/torch/scale/scaled_memory.h"

namespace orrery::replay::torch {

/// An Error for device work that is replaced by work of its recorded duration.
Status check_all_callable(const RankSource& source, const ChosenCalls& chosen);

/// After dimensions were followed: an Error for a row that is not called again, and makes of scaled tensors something
/// that calls use and no call writes. Nobody knows what sizes that has.
Status check_rows_between(const trace::HostTrace& host, const Schemas& schemas, const trace::HostArguments& arguments,
                          const ChosenCalls& chosen, const Lifetimes& lifetimes, const TensorSites& sites,
                          const ScaledMemory& memory, const ScaleRefusals& refusals);

}  // namespace orrery::replay::torch

// A recording with a dimension scaled: what a job would have called with another batch, sequence or width.
//
// A dimension is followed from the data through the calls (dimension_rules.h) and through memory (scaled_view.h), until
// nothing more has to change. Then shapes, strides, offsets, storages and the numbers among the arguments that are
// sizes are changed together. Where an operator cannot follow, nothing is.
#pragma once

#include "base/result.h"
#include "replay/torch/build/operation_list.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// Changes `chosen` and the sizes of `lifetimes`. An Error names the first operator or tensor that cannot follow; both
/// are then without meaning.
Result<ScaledCalls> scale_calls(const ScaleRequest& request, const RankSource& source, const Schemas& schemas,
                                const trace::HostArguments& arguments, ChosenCalls& chosen, Lifetimes& lifetimes);

}  // namespace orrery::replay::torch

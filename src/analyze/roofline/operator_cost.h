// FLOPs and bytes of a call of an operator, from the shapes and types that were recorded: each operand read once, the
// result written once. docs/INFERENCE.md has the formulas.
#pragma once

#include <optional>
#include <string_view>

#include "analyze/capture/operator_calls.h"
#include "analyze/roofline/operator_kind.h"

namespace orrery::analyze {

/// Sums over the requests of an engine's step, as its name says them: what attention of engines computes hangs on them,
/// and on nothing that its operator was given.
struct RequestLengths {
  double context_query_squares = 0;  ///< sum of q * q
  double context_query_keys = 0;     ///< sum of q * k
  double generation_query_keys = 0;
  double kv_tokens = 0;  ///< that attention looks back at
};

/// Nothing where there is no formula for the operator, or its operands do not fit it: other numbers of dimensions,
/// sizes whose product passes 2^63, types of unknown size. `lengths`: of the step that it was launched in; null: not
/// known.
std::optional<OperatorCost> cost_of(const OperatorCall& call, const RequestLengths* lengths);

}  // namespace orrery::analyze

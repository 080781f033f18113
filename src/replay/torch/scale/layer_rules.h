// Rules of what layers of models are made of: products, norms, attention. False where the arguments are not those of the rule.
#pragma once

#include <string_view>

#include "replay/torch/scale/dimension_ties.h"

namespace orrery::replay::torch {

/// [..., m, k] x [..., k, n] = [..., m, n], and what is added to it. The factors go by the first of their two names that is there.
bool tie_product(DimensionTies& ties, std::string_view left_name, std::string_view left_other, std::string_view right_name,
                 std::string_view right_other);

/// Statistics have the leading dimensions, weights the trailing ones.
bool tie_norm(DimensionTies& ties);

/// [batch, heads, sequence, width], or [batch, sequence, heads, width] of the kernels below it. Keys may be others than queries, in number and
/// heads. `name`: of the operator.
bool tie_attention(DimensionTies& ties, std::string_view name);

}  // namespace orrery::replay::torch

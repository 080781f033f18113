// Rules of what looks up rows or elements by indices. False where the arguments are not those of the rule.
#pragma once

#include <string_view>

#include "replay/torch/scale/dimension_ties.h"

namespace orrery::replay::torch {

/// [rows, width] at [...] is [..., width]; backward, the gradient of the rows.
bool tie_embedding(DimensionTies& ties);
bool tie_embedding_backward(DimensionTies& ties);

/// What is looked up, or written, has the shape of the index; the table may be larger in every dimension. `name`: of
/// the operator.
bool tie_gathered(DimensionTies& ties, std::string_view name);

/// As many as there are indices, along one dimension.
bool tie_selected(DimensionTies& ties);

}  // namespace orrery::replay::torch

// Which dimensions of an operator's arguments and results are the same one: of mm the rows of the first factor and of
// the product, the columns of the first and the rows of the second, the columns of the second and of the product.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/pytorch_et/schema.h"
#include "replay/torch/scale/dimension_ties.h"
#include "replay/torch/source/recorded_call.h"

namespace orrery::replay::torch {

/// Nothing where no rule is known for the operator, or its arguments are not those of the rule. `host` and `row`: where
/// its numbers are. `counted`: its indices are 0, 1, ... below it; 0: that is not known.
std::optional<std::vector<DimensionGroup>> dimension_groups(const trace::HostTrace& host, std::uint32_t row,
                                                            const RecordedCall& call,
                                                            const pytorch_et::OperatorSchema& schema,
                                                            std::int64_t counted = 0);

/// "aten::add" of "aten::add_": what is done in place is the same.
std::string_view without_in_place(std::string_view name);

}  // namespace orrery::replay::torch

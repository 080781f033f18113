// FLOPs and bytes of convolutions. Private to src/analyze/roofline.
#pragma once

#include <optional>
#include <string_view>

#include "analyze/roofline/operands.h"
#include "analyze/roofline/operator_kind.h"

namespace orrery::analyze {

/// Nothing if the operator is no convolution, or its operands do not fit.
std::optional<OperatorCost> convolution_cost(std::string_view name, const Operands& given);

}  // namespace orrery::analyze

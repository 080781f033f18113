// Kinds of operators by what bounds them, and what a call of one computes and moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/device/peak_rates.h"

namespace orrery::analyze {

enum class OperatorKind : std::uint8_t { gemm, grouped_gemm, attention, conv, norm, softmax, elementwise, copy };
inline constexpr std::size_t kOperatorKinds = 8;
const char* identifier(OperatorKind kind);  ///< "grouped_gemm"
/// The kind called so; none: there is no such kind.
std::optional<OperatorKind> operator_kind(std::string_view name);

struct OperatorCost {
  OperatorKind kind = OperatorKind::elementwise;
  double flops = 0;
  double bytes = 0;
  machine::DataType type = machine::DataType::fp32;  ///< of what is multiplied
  double m = 0, n = 0, k = 0, batch = 1;             ///< of gemm
};

}  // namespace orrery::analyze

#include "analyze/roofline/operator_kind.h"

#include <algorithm>
#include <array>

namespace orrery::analyze {
namespace {

constexpr std::array<const char*, kOperatorKinds> kKindNames = {"gemm", "grouped_gemm", "attention",   "conv",
                                                                "norm", "softmax",      "elementwise", "copy"};

}  // namespace

const char* identifier(OperatorKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<OperatorKind> operator_kind(std::string_view name) {
  const auto at = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (at == kKindNames.end()) return std::nullopt;
  return static_cast<OperatorKind>(at - kKindNames.begin());
}

}  // namespace orrery::analyze

#include "machine/warm/borrowed_table.h"

#include <cmath>

#include "machine/warm/warm_fields.h"

namespace orrery::machine {
namespace {

constexpr double kWidenedWhenClose = 1.3;  // the logarithms of intervals
constexpr double kTableShareWhenDistant = 0.25;
constexpr double kOwnConstantsWhenDistant = 0.5;  // of their logarithms; the rest is that of the usual constants

/// Measured to predicted between generations (scripts/relative_accuracy.py), all pairs alike: all but 8 % at either
/// end, which holds 80 % of a generation that the quantiles were not taken from. A100's latent attention of one token
/// comes from an older library, whose kernels take several times as long.
TimeInterval between_generations(WarmKind kind) {
  switch (kind) {
    case WarmKind::gemm: return {.low_ratio = 0.811, .high_ratio = 1.97};
    case WarmKind::sdpa_fwd: return {.low_ratio = 0.727, .high_ratio = 2.29};
    case WarmKind::sdpa_decode: return {.low_ratio = 0.57, .high_ratio = 1.94};
    case WarmKind::moe: return {.low_ratio = 0.72, .high_ratio = 3.12};
    case WarmKind::mla_fwd: return {.low_ratio = 0.717, .high_ratio = 2.02};
    case WarmKind::mla_decode: break;
  }
  return {.low_ratio = 0.553, .high_ratio = 6.33};
}

void widen(std::vector<TimeInterval>& intervals) {
  for (TimeInterval& one : intervals) {
    one.low_ratio = std::pow(one.low_ratio, kWidenedWhenClose);
    one.high_ratio = std::pow(one.high_ratio, kWidenedWhenClose);
  }
}

void pull_to_usual(WarmConstants& constants, WarmKind kind) {
  WarmConstants usual = usual_constants(kind);
  const std::vector<double*> own = numbers_of(constants), start = numbers_of(usual);
  for (std::size_t i = 0; i < own.size(); ++i)
    *own[i] = std::pow(*own[i], kOwnConstantsWhenDistant) * std::pow(*start[i], 1 - kOwnConstantsWhenDistant);
}

void shrink(ResidualTable& residuals) {
  for (std::int16_t& value : residuals.values())
    value = static_cast<std::int16_t>(std::lround(kTableShareWhenDistant * value));
}

}  // namespace

KernelTable borrowed(KernelTable table, Kinship kinship) {
  if (kinship == Kinship::itself) return table;
  for (FormatTable& format : table.formats) {
    format.groups.clear();  // nothing was measured there
    if (kinship == Kinship::close) {
      widen(format.unseen_intervals);
      continue;
    }
    pull_to_usual(format.constants, table.kind);
    for (ResidualTable& residuals : format.layers) shrink(residuals);
    format.unseen_intervals = {between_generations(table.kind)};
  }
  return table;
}

}  // namespace orrery::machine

#include "machine/warm/borrowed_table.h"

#include <cmath>
#include <memory>
#include <variant>

#include "machine/warm/warm_fields.h"

namespace orrery::machine {
namespace {

// Between close relatives, in logarithms: what kernels differ by though no rate does (clocks, builds, which kernel a
// library takes), and the share of what the rates change that may not come true. Each of both pairs says so by itself:
// 0.055 to 0.07, and a half where H200's memory is faster than H100's. Where units were changed too, instructions that
// no datasheet speaks of take another time; twice as far is an assumption, since no such pair was measured.
constexpr double kApart = 0.07;
constexpr double kApartWhenRefreshed = 2 * kApart;
constexpr double kChangeInDoubt = 0.5;

// Of the memory's bandwidth, what kernels reach that nothing else binds.
constexpr double kFullShare = 0.9;

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

/// A kernel that reaches less of the bandwidth than others is bound by its units as well, and gets no more from a
/// faster memory than the rest of them allows: both limits together are what was reached, in squares. (H200's memory
/// is 1.43 times as fast as H100's; experts in fp8, which reached 0.18 of it there, take as long on both.)
void rebind(WarmConstants& constants, const Device& relative, const Device& device) {
  std::visit(
      [&](auto& c) {
        if (c.memory_share <= 0 || c.memory_share >= kFullShare) return;
        const auto squared = [](double x) { return x * x; };
        // Times per byte, of a byte at the relative's full bandwidth.
        const double memory = squared(1 / kFullShare), units = squared(1 / c.memory_share) - memory;
        const double faster_memory = device.memory_bytes_per_s() / relative.memory_bytes_per_s();
        const double more_units =
            static_cast<double>(device.compute_unit_count) / static_cast<double>(relative.compute_unit_count);
        const double here = std::sqrt(memory / squared(faster_memory) + units / squared(more_units));
        c.memory_share = 1 / (here * faster_memory);
      },
      constants);
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

KernelTable borrowed(KernelTable table, const Device& relative, const Device& device, Kinship kinship) {
  if (kinship == Kinship::itself || kinship == Kinship::same) return table;
  const auto rates = std::make_shared<const Device>(relative);
  for (FormatTable& format : table.formats) {
    if (kinship != Kinship::distant) {
      const double apart = kinship == Kinship::close ? kApart : kApartWhenRefreshed;
      format.lender = std::make_shared<const Lender>(Lender{rates, format.constants, apart, kChangeInDoubt});
      rebind(format.constants, relative, device);
      continue;
    }
    format.groups.clear();  // nothing was measured there
    pull_to_usual(format.constants, table.kind);
    for (ResidualTable& residuals : format.layers) shrink(residuals);
    format.unseen_intervals = {between_generations(table.kind)};
  }
  return table;
}

}  // namespace orrery::machine

#include "analyze/roofline/step_roofs.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "analyze/device/engine_steps.h"

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Type;
using report::Unit;

bool counts(OperatorKind kind) {
  return kind == OperatorKind::gemm || kind == OperatorKind::grouped_gemm || kind == OperatorKind::attention ||
         kind == OperatorKind::conv;
}

using FlopsByType = std::array<double, machine::kDataTypeNames.size()>;

/// The rate of the matrix units is what a step is held against, whatever its kernels used: where they have no fp32,
/// that of tf32, by which they would compute the same products.
machine::DataType matrix_type(const machine::Device& device, machine::DataType type) {
  const bool has_none = type == machine::DataType::fp32 && !device.matrix_peak_tflops[type];
  return has_none && device.matrix_peak_tflops[machine::DataType::tf32] ? machine::DataType::tf32 : type;
}

/// Per step of the rank. A call counts for the step that its first work belongs to.
std::vector<FlopsByType> flops_of_steps(const RooflineRank& rank, const RankSteps& steps,
                                        const machine::Device& device) {
  std::vector<FlopsByType> flops(steps.steps.size(), FlopsByType{});
  std::vector<std::uint8_t> counted(rank.priced.calls.size(), 0);
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    for (const std::uint32_t w : steps.steps[s].work_numbers) {
      const std::uint32_t place = rank.priced.of_work[w];
      if (place == PricedWorks::kNoCall || counted[place] != 0) continue;
      counted[place] = 1;
      const PricedCall& call = rank.priced.calls[place];
      if (!call.cost || !counts(call.cost->kind)) continue;
      flops[s][static_cast<std::size_t>(matrix_type(device, call.peak))] += call.cost->flops;
    }
  }
  return flops;
}

}  // namespace

report::Sheet step_roofs_sheet(const std::vector<RooflineRank>& ranks, const machine::Device& device) {
  report::Sheet sheet("steps");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "step", .type = Type::integer, .title = "step", .decimals = report::kExact})
      .add({.name = "phase", .title = "phase"})
      .add({.name = "wall", .type = Type::time, .unit = Unit::us, .title = "takes"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "of it busy"})
      .add({.name = "flops", .type = Type::real})
      .add({.name = "peak_type", .title = "peak of"})
      .add({.name = "mfu", .type = Type::real, .unit = Unit::pct, .title = "MFU", .with_bar = true})
      .add({.name = "busy_mfu", .type = Type::real, .unit = Unit::pct, .title = "while busy"});
  for (const RooflineRank& rank : ranks) {
    const RankSteps steps = measure_steps(*rank.devices);
    const std::vector<FlopsByType> flops = flops_of_steps(rank, steps, device);
    for (std::size_t s = 0; s < steps.steps.size(); ++s) {
      const MeasuredStep& step = steps.steps[s];
      const double sum = std::accumulate(flops[s].begin(), flops[s].end(), 0.0);
      const auto largest = std::max_element(flops[s].begin(), flops[s].end());
      const double most = *largest;
      const auto type = static_cast<machine::DataType>(largest - flops[s].begin());
      const double rate = device.peak_flops(type);
      const auto share = [&](TimePs time) {
        const double seconds = static_cast<double>(time) / static_cast<double>(kPsPerSecond);
        return most > 0 && rate > 0 && seconds > 0 ? Cell(100 * sum / (seconds * rate)) : Cell(nullptr);
      };
      sheet.add_row({rank.devices->rank->rank, static_cast<std::int64_t>(step.place),
                     step.says ? Cell(causal::identifier(step.says->phase)) : Cell(nullptr), step.wall, step.busy, sum,
                     most > 0 ? Cell(machine::kDataTypeNames[static_cast<std::size_t>(type)]) : Cell(nullptr),
                     share(step.wall), share(step.busy)});
    }
  }
  return sheet;
}

}  // namespace orrery::analyze

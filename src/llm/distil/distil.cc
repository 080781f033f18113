#include "llm/distil/distil.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parallel.h"
#include "llm/backtest/robust_fit.h"
#include "llm/distil/table_fit.h"
#include "machine/warm/warm_fields.h"

// Constants are fitted on a sample with all groups: a dozen numbers learn no row by heart. Tables could, and are fitted
// once more per fold without the groups of that fold.

namespace orrery::llm {
namespace {

using machine::FormatTable, machine::WarmKernel, machine::WarmKind;

constexpr std::size_t kRowsForConstants = 400;
constexpr double kPenalty = 0.02;  // of a constant that is e-fold away from where the fit began
constexpr double kCapOfConstants = 0.6;
constexpr double kTenFold = 2.3;
constexpr std::size_t kTableFolds = 5;
constexpr std::size_t kParts = 4;   // of the predicted times, each with an interval of its own
constexpr double kOutside = 0.104;  // at each end of an interval: half of what it is made of was seen, and lies closer

using Group = std::array<double, 4>;

Group group_of_kernel(const WarmKernel& x) {
  switch (x.kind) {
    case WarmKind::gemm: return {x.n, x.k};
    case WarmKind::sdpa_fwd:
    case WarmKind::sdpa_decode: return {x.heads, x.kv_heads, x.dim, x.window};
    case WarmKind::moe: return {x.hidden, x.inter, x.experts, x.top_k};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {x.heads, x.batch};
}

/// How many knots each axis of a table has at most, and how stiff it is. Axes are coarse where groups lie: a knot per
/// group would learn them by heart, and then nothing about the next.
struct TableShape {
  std::vector<int> knots;
  TableFitOptions options;
};

TableShape shape_of(WarmKind kind) {
  switch (kind) {
    case WarmKind::gemm: return {{30, 6, 6}, {.value_penalty = 0.001, .bend_penalty = 0.02}};
    case WarmKind::sdpa_fwd: return {{7, 10, 4, 4, 2}, {.value_penalty = 0.003, .bend_penalty = 0.01}};
    case WarmKind::sdpa_decode: return {{6, 7, 4, 2, 2, 2}, {.value_penalty = 0.003, .bend_penalty = 0.02}};
    // Experts of half a dozen models: what they have in common is little, and soon learnt by heart.
    case WarmKind::moe: return {{5, 7, 2, 2}, {.value_penalty = 0.1, .bend_penalty = 0.3}};
    case WarmKind::mla_fwd:
    case WarmKind::mla_decode: break;
  }
  return {{6, 5, 7}, {.value_penalty = 0.003, .bend_penalty = 0.02}};
}

/// Visits the constants of a kind as unknowns.
struct ConstantList {
  std::vector<double*> values;
  void number(std::string_view, double& value, machine::Range) { values.push_back(&value); }
};

machine::WarmConstants fit_constants(const machine::Device& device, const std::vector<MeasuredKernel>& kernels) {
  std::vector<const MeasuredKernel*> sample;
  const std::size_t count = std::min(kernels.size(), kRowsForConstants);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(&kernels[i * kernels.size() / count]);
  machine::WarmConstants constants = machine::usual_constants(kernels.front().kernel.kind);
  ConstantList list;
  std::visit([&](auto& c) { describe(list, c); }, constants);
  std::vector<double> starts;
  for (const double* value : list.values) starts.push_back(*value);
  const RobustFitOptions options{.cap = kCapOfConstants,
                                 .penalty = kPenalty,
                                 .highest = std::vector<double>(starts.size(), kTenFold),
                                 .lowest = -kTenFold};
  const auto set = [&](const std::vector<double>& x) {
    for (std::size_t j = 0; j < starts.size(); ++j) *list.values[j] = starts[j] * std::exp(x[j]);
  };
  set(fit_robustly(
      [&](const std::vector<double>& x, std::vector<double>& residuals) {
        set(x);
        residuals.clear();
        for (const MeasuredKernel* one : sample)
          residuals.push_back(std::log(machine::warm_time(device, constants, one->kernel).seconds * 1e6 / one->us));
      },
      options));
  for (double* value : list.values) *value = rounded(*value);
  return constants;
}

/// The fold of each kernel: groups in the order of their sizes take turns, so that no fold is a whole region.
std::vector<std::size_t> folds_of(const std::vector<MeasuredKernel>& kernels) {
  std::map<Group, std::size_t> groups;
  for (const MeasuredKernel& one : kernels) groups.emplace(group_of_kernel(one.kernel), 0);
  std::size_t next = 0;
  for (auto& [key, fold] : groups) fold = next++ % kTableFolds;
  std::vector<std::size_t> folds;
  folds.reserve(kernels.size());
  for (const MeasuredKernel& one : kernels) folds.push_back(groups[group_of_kernel(one.kernel)]);
  return folds;
}

/// What tables leave over, as logarithms of measured to predicted.
struct Leftovers {
  std::vector<double> seen;  ///< by the table that was fitted to all
  std::vector<double> held;  ///< by one that had not seen the group
};

/// Fits the table of `format`, and says what is left.
Leftovers fit_residuals(const std::vector<Residual>& residuals, const std::vector<std::size_t>& folds, WarmKind kind,
                        FormatTable& format) {
  const TableShape shape = shape_of(kind);
  const auto axes = axes_for(residuals, machine::axes_of(kind), shape.knots);
  const auto fitted_without = [&](std::size_t fold) {
    std::vector<const Residual*> rows;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (folds[i] != fold) rows.push_back(&residuals[i]);
    }
    return fit_table(axes, rows, shape.options);
  };
  format.residuals = fitted_without(kTableFolds);
  Leftovers left;
  for (const Residual& one : residuals) left.seen.push_back(one.value - format.residuals.at(one.place));
  left.held = left.seen;
  for (std::size_t fold = 0; fold < kTableFolds; ++fold) {
    const machine::ResidualTable table = fitted_without(fold);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (folds[i] == fold) left.held[i] = residuals[i].value - table.at(residuals[i].place);
    }
  }
  return left;
}

double mean_error_pct(const std::vector<double>& log_ratios) {
  double sum = 0;
  for (const double one : log_ratios) sum += std::abs(std::exp(-one) - 1);
  return rounded(100 * sum / static_cast<double>(log_ratios.size()));
}

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

/// Per part of the predicted times where eight of ten lie: of kernels that were seen and of others alike, since nobody
/// knows which the next will be.
std::vector<machine::TimeInterval> intervals_of(const std::vector<MeasuredKernel>& kernels, const Leftovers& left) {
  std::vector<std::size_t> by_time(kernels.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  const auto predicted = [&](std::size_t i) { return kernels[i].us * std::exp(-left.seen[i]); };
  std::stable_sort(by_time.begin(), by_time.end(), [&](auto a, auto b) { return predicted(a) < predicted(b); });
  std::vector<machine::TimeInterval> intervals;
  const std::size_t parts = std::min(kParts, kernels.size());
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t from = part * kernels.size() / parts, to = (part + 1) * kernels.size() / parts;
    std::vector<double> sorted;
    for (std::size_t i = from; i < to; ++i) {
      sorted.push_back(left.held[by_time[i]]);
      sorted.push_back(left.seen[by_time[i]]);
    }
    std::sort(sorted.begin(), sorted.end());
    intervals.push_back({.from_us = part == 0 ? 0 : rounded(predicted(by_time[from])),
                         .low_ratio = rounded(std::exp(std::min(quantile(sorted, kOutside), 0.0))),
                         .high_ratio = rounded(std::exp(std::max(quantile(sorted, 1 - kOutside), 0.0)))});
  }
  return intervals;
}

machine::WarmFormat cache_format(const WarmKernel& kernel) {
  return kernel.cache_element_bytes < 2 ? machine::WarmFormat::fp8 : machine::WarmFormat::bf16;
}

}  // namespace

FormatTable distil_format(const machine::Device& device, std::vector<MeasuredKernel> kernels) {
  const auto order = [](const MeasuredKernel& one) {
    return std::tuple(group_of_kernel(one.kernel), coordinates_of(one.kernel), one.kernel.batch, one.us);
  };
  std::sort(kernels.begin(), kernels.end(),
            [&](const MeasuredKernel& a, const MeasuredKernel& b) { return order(a) < order(b); });
  const WarmKernel& first = kernels.front().kernel;
  FormatTable table{.format = first.format, .cache = cache_format(first)};
  table.constants = fit_constants(device, kernels);
  std::vector<Residual> residuals;
  std::vector<double> formula;
  for (const MeasuredKernel& one : kernels) {
    const double us = machine::warm_time(device, table.constants, one.kernel).seconds * 1e6;
    formula.push_back(std::log(one.us / us));
    residuals.push_back({coordinates_of(one.kernel), formula.back()});
  }
  const Leftovers left = fit_residuals(residuals, folds_of(kernels), first.kind, table);
  table.accuracy = {.rows = static_cast<std::int64_t>(kernels.size()),
                    .formula_pct = mean_error_pct(formula),
                    .seen_pct = mean_error_pct(left.seen),
                    .held_out_pct = mean_error_pct(left.held)};
  table.intervals = intervals_of(kernels, left);
  return table;
}

std::vector<machine::KernelTable> distil(const machine::Device& device, const std::vector<MeasuredKernel>& kernels) {
  using Key = std::tuple<WarmKind, machine::WarmFormat, machine::WarmFormat>;
  std::map<Key, std::vector<MeasuredKernel>> parts;
  for (const MeasuredKernel& one : kernels)
    parts[{one.kernel.kind, one.kernel.format, cache_format(one.kernel)}].push_back(one);
  std::vector<std::pair<const Key, std::vector<MeasuredKernel>>*> tasks;
  for (auto& part : parts) tasks.push_back(&part);
  std::vector<FormatTable> formats(tasks.size());
  parallel_for(tasks.size(),
               [&](std::size_t task) { formats[task] = distil_format(device, std::move(tasks[task]->second)); });
  std::vector<machine::KernelTable> tables;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    const WarmKind kind = std::get<0>(tasks[task]->first);
    if (tables.empty() || tables.back().kind != kind) tables.push_back({.device = device.name, .kind = kind});
    tables.back().formats.push_back(std::move(formats[task]));
  }
  return tables;
}

}  // namespace orrery::llm

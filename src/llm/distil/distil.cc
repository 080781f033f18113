#include "llm/distil/distil.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "base/parallel.h"
#include "llm/backtest/robust_fit.h"
#include "llm/distil/layer_shapes.h"
#include "machine/warm/warm_fields.h"
#include "machine/warm/warm_shape.h"

// Constants are fitted on a sample with all groups: a dozen numbers learn no row by heart. Tables could, and are fitted
// once more per fold without the groups of that fold. Without some rows of every group they are as far off as that:
// only what was measured itself has narrower intervals.

namespace orrery::llm {
namespace {

using machine::FormatTable, machine::WarmKernel, machine::WarmKind;

constexpr std::size_t kRowsForConstants = 400;
constexpr double kPenalty = 0.02;  // of a constant that is e-fold away from where the fit began
constexpr double kCapOfConstants = 0.6;
constexpr double kTenFold = 2.3;
constexpr std::size_t kTableFolds = 5;
constexpr std::size_t kParts = 4;  // of the predicted times, each with an interval of its own
constexpr double kOutside = 0.1;   // at each end of an interval
// Of the tables, against that of layer_shapes.cc: few or scattered rows want stiffer ones.
constexpr std::array kStiffness = {1.0, 4.0};

machine::WarmConstants fit_constants(const machine::Device& device, const std::vector<MeasuredKernel>& kernels) {
  std::vector<const MeasuredKernel*> sample;
  const std::size_t count = std::min(kernels.size(), kRowsForConstants);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(&kernels[i * kernels.size() / count]);
  machine::WarmConstants constants = machine::usual_constants(kernels.front().kernel.kind);
  const std::vector<double*> numbers = machine::numbers_of(constants);
  std::vector<double> starts;
  starts.reserve(numbers.size());
  for (const double* value : numbers) starts.push_back(*value);
  const RobustFitOptions options{.cap = kCapOfConstants,
                                 .penalty = kPenalty,
                                 .highest = std::vector<double>(starts.size(), kTenFold),
                                 .lowest = -kTenFold};
  const auto set = [&](const std::vector<double>& x) {
    for (std::size_t j = 0; j < starts.size(); ++j) *numbers[j] = starts[j] * std::exp(x[j]);
  };
  set(fit_robustly(
      [&](const std::vector<double>& x, std::vector<double>& residuals) {
        set(x);
        residuals.clear();
        for (const MeasuredKernel* one : sample)
          residuals.push_back(std::log(machine::warm_time(device, constants, one->kernel).seconds * 1e6 / one->us));
      },
      options));
  for (double* value : numbers) *value = rounded(*value);
  return constants;
}

/// The fold of each kernel: groups take turns in an order that has nothing to do with their sizes. In that of sizes all
/// neighbours of a group would be in other folds, and those of a shape that somebody asks for may be missing.
std::vector<std::size_t> folds_of_groups(const std::vector<MeasuredKernel>& kernels) {
  std::map<std::vector<double>, std::size_t> groups;
  for (const MeasuredKernel& one : kernels) groups.emplace(group_of(one.kernel), 0);
  std::mt19937_64 random(1);
  std::vector<std::pair<std::uint64_t, std::size_t*>> turns;
  turns.reserve(groups.size());
  for (auto& [key, fold] : groups) turns.emplace_back(random(), &fold);
  std::sort(turns.begin(), turns.end());
  for (std::size_t i = 0; i < turns.size(); ++i) *turns[i].second = i % kTableFolds;
  std::vector<std::size_t> folds;
  folds.reserve(kernels.size());
  for (const MeasuredKernel& one : kernels) folds.push_back(groups[group_of(one.kernel)]);
  return folds;
}

double mean_error_pct(const std::vector<double>& log_ratios) {
  double sum = 0;
  for (const double one : log_ratios) sum += std::abs(std::exp(-one) - 1);
  return rounded(100 * sum / static_cast<double>(log_ratios.size()));
}

/// What tables leave over, as logarithms of measured to predicted.
struct Leftovers {
  std::vector<double> seen;  ///< by the tables that were fitted to all
  std::vector<double> held;  ///< by ones that had not seen the group
};

/// The tables of one format, fitted to all rows or without some.
class FormatFit {
 public:
  FormatFit(const std::vector<Residual>& residuals, WarmKind kind)
      : residuals_(residuals), shapes_(layer_shapes(kind)), empty_(empty_layers(residuals, kind, shapes_)) {}

  [[nodiscard]] FormatTable fitted(double stiffness, const std::function<bool(std::size_t)>& takes) const {
    std::vector<const Residual*> rows;
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      if (takes(i)) rows.push_back(&residuals_[i]);
    }
    return {.layers = fit_layers(empty_, shapes_, stiffness, rows)};
  }

  [[nodiscard]] double left_by(const FormatTable& table, std::size_t row) const {
    return residuals_[row].value - table.residual_at(residuals_[row].place);
  }

  /// Of every row by tables that had not seen its fold.
  [[nodiscard]] std::vector<double> left_out(double stiffness, const std::vector<std::size_t>& folds) const {
    std::vector<double> left(residuals_.size());
    for (std::size_t fold = 0; fold < kTableFolds; ++fold) {
      const FormatTable table = fitted(stiffness, [&](std::size_t row) { return folds[row] != fold; });
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (folds[i] == fold) left[i] = left_by(table, i);
      }
    }
    return left;
  }

 private:
  const std::vector<Residual>& residuals_;
  std::vector<LayerShape> shapes_;
  std::vector<machine::ResidualTable> empty_;
};

/// Fits the tables of `format`, as stiff as is best for groups that they have not seen, and says what is left.
Leftovers fit_residuals(const std::vector<Residual>& residuals, const std::vector<std::size_t>& folds, WarmKind kind,
                        FormatTable& format) {
  const FormatFit fit(residuals, kind);
  Leftovers left;
  double best = 0, stiffness = 1;
  for (const double tried : kStiffness) {
    std::vector<double> held = fit.left_out(tried, folds);
    const double error = mean_error_pct(held);
    if (!left.held.empty() && error >= best) continue;
    best = error;
    stiffness = tried;
    left.held = std::move(held);
  }
  format.layers = fit.fitted(stiffness, [](std::size_t) { return true; }).layers;
  for (std::size_t i = 0; i < residuals.size(); ++i) left.seen.push_back(fit.left_by(format, i));
  return left;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

/// Per part of the predicted times where all but kOutside at either end lie of what is `left`, of so many groups. Of
/// few a little more: rows of a group are off together, in part, and the next group is one more than were drawn (as in
/// split conformal prediction).
std::vector<machine::TimeInterval> intervals_of(const std::vector<MeasuredKernel>& kernels,
                                                const std::vector<double>& left, std::size_t groups) {
  constexpr double kTogether = 0.25;
  const double outside = std::max(kOutside - (1 - kOutside) * kTogether / static_cast<double>(groups), 0.0);
  std::vector<std::size_t> by_time(kernels.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  const auto predicted = [&](std::size_t i) { return kernels[i].us * std::exp(-left[i]); };
  std::stable_sort(by_time.begin(), by_time.end(), [&](auto a, auto b) { return predicted(a) < predicted(b); });
  std::vector<machine::TimeInterval> intervals;
  const std::size_t parts = std::min(kParts, kernels.size());
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t from = part * kernels.size() / parts, to = (part + 1) * kernels.size() / parts;
    std::vector<double> sorted;
    for (std::size_t i = from; i < to; ++i) sorted.push_back(left[by_time[i]]);
    std::sort(sorted.begin(), sorted.end());
    intervals.push_back({.from_us = part == 0 ? 0 : rounded(predicted(by_time[from])),
                         .low_ratio = rounded(std::exp(std::min(quantile(sorted, outside), 0.0))),
                         .high_ratio = rounded(std::exp(std::max(quantile(sorted, 1 - outside), 0.0)))});
  }
  return intervals;
}

machine::WarmFormat cache_format(const WarmKernel& kernel) {
  return kernel.cache_element_bytes < 2 ? machine::WarmFormat::fp8 : machine::WarmFormat::bf16;
}

}  // namespace

FormatTable distil_format(const machine::Device& device, std::vector<MeasuredKernel> kernels) {
  const auto order = [&](const MeasuredKernel& one) {
    return std::tuple(group_of(one.kernel), coordinates_of(device, one.kernel), one.us);
  };
  std::sort(kernels.begin(), kernels.end(),
            [&](const MeasuredKernel& a, const MeasuredKernel& b) { return order(a) < order(b); });
  const WarmKernel& first = kernels.front().kernel;
  FormatTable table{.format = first.format, .cache = cache_format(first), .library = kernels.front().library};
  table.constants = fit_constants(device, kernels);
  std::vector<Residual> residuals;
  std::vector<double> formula;
  for (const MeasuredKernel& one : kernels) {
    const double us = machine::warm_time(device, table.constants, one.kernel).seconds * 1e6;
    formula.push_back(std::log(one.us / us));
    residuals.push_back({coordinates_of(device, one.kernel), formula.back()});
    table.add_measured(one.kernel);
  }
  const Leftovers left = fit_residuals(residuals, folds_of_groups(kernels), first.kind, table);
  table.accuracy = {.rows = static_cast<std::int64_t>(kernels.size()),
                    .formula_pct = mean_error_pct(formula),
                    .seen_pct = mean_error_pct(left.seen),
                    .held_out_pct = mean_error_pct(left.held)};
  table.intervals = intervals_of(kernels, left.seen, kernels.size());
  table.unseen_intervals = intervals_of(kernels, left.held, table.groups.size());
  return table;
}

std::vector<machine::KernelTable> distil(const machine::Device& device, const std::vector<MeasuredKernel>& kernels) {
  using Key = std::tuple<WarmKind, machine::WarmFormat, machine::WarmFormat, std::string>;
  std::map<Key, std::vector<MeasuredKernel>> parts;
  for (const MeasuredKernel& one : kernels)
    parts[{one.kernel.kind, one.kernel.format, cache_format(one.kernel), one.library}].push_back(one);
  std::vector<std::pair<const Key, std::vector<MeasuredKernel>>*> tasks;
  tasks.reserve(parts.size());
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

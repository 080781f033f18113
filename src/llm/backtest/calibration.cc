#include "llm/backtest/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "llm/backtest/robust_fit.h"
#include "llm/diagnostics.h"
#include "llm/kernels/free_constants.h"
#include "llm/kernels/kernel_kinds.h"

// Kernels are grouped by the constants that they can tell about, and groups are fitted apart, each against the base
// device with a penalty. Every group is fitted once with all its rows and once per fold without some of them, so that
// the error on kernels that were not seen is known. Blocks are fitted last, since they contain the others.

namespace orrery::llm {
namespace {

// As strong as errors of 5 % around the model and constants within 35 % (0.3 in logarithms) of the base would have it.
constexpr double kPenaltyOfOneRow = 0.05 / (2 * 0.3 * 0.3);
// Beyond 65 % a row counts as faulty: it costs the same wherever it is.
constexpr double kCap = 0.5;
constexpr double kProbe = 0.1;                           // ten percent
constexpr const char* kBlockGroup = "standalone.block";  // made of the constants of all others

double priced_us(const machine::Device& device, const KernelRow& row) {
  return kernel_seconds(*find_kernel_kind(row.kind), device, row.sizes) * 1e6;
}

/// Rows of one group, and which of them belong together.
struct Group {
  std::string name;
  std::vector<const KernelRow*> rows = {};
  std::vector<std::size_t> places = {};    ///< of each row in the result
  std::vector<std::size_t> shape_of = {};  ///< the place of each row's shape in the order of all
  std::size_t shapes = 0;

  [[nodiscard]] std::size_t folds() const { return std::min(kFolds, shapes); }
  /// Neighbours in size go to different folds, so that none of them leaves out a whole region.
  [[nodiscard]] std::size_t fold_of(std::size_t row) const { return shape_of[row] % folds(); }
};

std::vector<double> log_ratios(const machine::Device& device, const std::vector<const KernelRow*>& rows) {
  std::vector<double> ratios;
  ratios.reserve(rows.size());
  for (const KernelRow* row : rows) ratios.push_back(std::log(priced_us(device, *row) / *row->measured_us));
  return ratios;
}

/// The constants that any of the rows depends on.
std::vector<FreeConstant> responding(const Group& group, const machine::Device& base,
                                     const std::vector<const KernelRow*>& rows) {
  std::vector<FreeConstant> constants = constants_of(group.name, base);
  const std::vector<double> before = log_ratios(base, rows);
  std::erase_if(constants, [&](const FreeConstant& constant) {
    machine::Device more = base, less = base;
    constant.at(more) *= 1 + kProbe;
    constant.at(less) *= 1 - kProbe;
    return log_ratios(more, rows) == before && log_ratios(less, rows) == before;
  });
  return constants;
}

machine::Device fitted(const Group& group, const machine::Device& base, const std::vector<const KernelRow*>& rows) {
  const std::vector<FreeConstant> constants = responding(group, base, rows);
  machine::Device device = base;
  std::vector<double*> values;
  std::vector<double> starts;
  RobustFitOptions options{.cap = kCap, .penalty = kPenaltyOfOneRow / static_cast<double>(rows.size())};
  for (const FreeConstant& constant : constants) {
    values.push_back(&constant.at(device));
    starts.push_back(*values.back());
    // Twenty times the base at most, and no more than the field may hold.
    options.highest.push_back(std::min(3.0, std::log(constant.most / starts.back())));
  }
  const auto set = [&](const std::vector<double>& x) {
    for (std::size_t j = 0; j < values.size(); ++j) *values[j] = starts[j] * std::exp(x[j]);
  };
  set(fit_robustly(
      [&](const std::vector<double>& x, std::vector<double>& residuals) {
        set(x);
        residuals = log_ratios(device, rows);
      },
      options));
  for (double* value : values) *value = rounded(*value);
  return device;
}

/// In the order of their names; the one that is made of all others comes last.
std::vector<Group> groups_of(const std::vector<KernelRow>& rows) {
  std::map<std::string, Group> by_name;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Group& group = by_name[group_of(rows[i])];
    group.rows.push_back(&rows[i]);
    group.places.push_back(i);
  }
  by_name.erase(std::string());  // rows that no constant is for
  std::vector<Group> groups;
  for (auto& [name, group] : by_name) {
    group.name = name;
    std::map<std::string, std::size_t> shapes;
    for (const KernelRow* row : group.rows) shapes.emplace(shape_key(*row), 0);
    for (auto& [key, place] : shapes) place = group.shapes++;
    for (const KernelRow* row : group.rows) group.shape_of.push_back(shapes[shape_key(*row)]);
    groups.push_back(std::move(group));
  }
  std::stable_partition(groups.begin(), groups.end(), [](const Group& group) { return group.name != kBlockGroup; });
  return groups;
}

/// Prices each fold of a group by constants that were fitted on the others.
void hold_out(const Group& group, const machine::Device& base, std::size_t fold, std::vector<CalibratedRow>& results) {
  std::vector<const KernelRow*> seen;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    if (group.fold_of(i) != fold) seen.push_back(group.rows[i]);
  }
  const machine::Device device = fitted(group, base, seen);
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    if (group.fold_of(i) == fold) results[group.places[i]].held_out_us = priced_us(device, *group.rows[i]);
  }
}

std::vector<LearntConstant> learnt_of(const Group& group, machine::Device before, machine::Device after) {
  const auto error_pct_of = [&](const machine::Device& device) {
    return 100 * robust_loss(log_ratios(device, group.rows), kCap);
  };
  const double best = error_pct_of(after);
  std::vector<LearntConstant> learnt;
  for (const FreeConstant& constant : responding(group, before, group.rows)) {
    machine::Device more = after, less = after;
    constant.at(more) *= 1 + kProbe;
    constant.at(less) *= 1 - kProbe;
    learnt.push_back({.path = constant.path,
                      .before = constant.at(before),
                      .after = constant.at(after),
                      .with_more_pct = error_pct_of(more) - best,
                      .with_less_pct = error_pct_of(less) - best});
  }
  return learnt;
}

/// Fits groups that do not depend on each other, all and their folds at once, and takes what they learnt into the
/// device.
void fit_groups(const std::vector<Group>& groups, Calibration& result) {
  const machine::Device base = result.device;
  std::vector<machine::Device> devices(groups.size());
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  // group and fold; the fold behind the last is all rows
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t fold = 0; fold <= groups[g].folds(); ++fold) tasks.emplace_back(g, fold);
  }
  parallel_for(tasks.size(), [&](std::size_t task) {
    const auto [g, fold] = tasks[task];
    if (fold == groups[g].folds()) devices[g] = fitted(groups[g], base, groups[g].rows);
    else hold_out(groups[g], base, fold, result.rows);
  });
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<LearntConstant> learnt = learnt_of(groups[g], base, devices[g]);
    result.constants.insert(result.constants.end(), learnt.begin(), learnt.end());
    for (const FreeConstant& constant : constants_of(groups[g].name, base))
      constant.at(result.device) = constant.at(devices[g]);
    if (result.device.standalone)
      std::erase(result.device.standalone->estimated, groups[g].name.substr(groups[g].name.find('.') + 1));
  }
}

bool usable(const KernelRow& row, const machine::Device& device, Diagnostics& diagnostics) {
  const auto at = [&] { return fmt::format("{}: {}", row.place, row.kind); };
  const KernelKind* kind = find_kernel_kind(row.kind);
  if (kind == nullptr) return diagnostics.add(kUnknownKernel, at), false;
  if (!has_format(*kind, row.sizes, device)) return diagnostics.add(kKernelFormat, at), false;
  if (!has_sizes(*kind, row.sizes)) return diagnostics.add(kKernelWithoutSize, at), false;
  if (!row.measured_us) return diagnostics.add(kKernelNotMeasured, at), false;
  return true;
}

/// The k-th of n exchangeable values is exceeded by a further one with chance 1 - k / (n + 1).
std::pair<double, double> interval_by_order(const std::vector<double>& sorted) {
  // A tenth at each end: an interval of 80 percent.
  const auto outside = static_cast<std::size_t>(std::floor(0.1 * (static_cast<double>(sorted.size()) + 1)));
  return {sorted[outside - 1], sorted[sorted.size() - outside]};
}

/// The prediction interval of a normal distribution whose mean and variance are estimated.
std::pair<double, double> interval_of_few(const std::vector<double>& ratios) {
  constexpr std::array kStudent = {1.886, 1.638, 1.533,
                                   1.476, 1.440, 1.415};  // 90th percentile of t with 2 to 7 degrees of freedom
  const double n = static_cast<double>(ratios.size());
  double mean = 0, square = 0;
  for (const double ratio : ratios) mean += std::log(ratio) / n;
  for (const double ratio : ratios) square += std::pow(std::log(ratio) - mean, 2);
  const double half = kStudent[ratios.size() - kFewestShapes] * std::sqrt(square / (n - 1) * (1 + 1 / n));
  return {std::exp(mean - half), std::exp(mean + half)};
}

void set_intervals(Calibration& result) {
  std::map<std::string, std::vector<double>> ratios;
  for (const CalibratedRow& row : result.rows) {
    if (row.held_out_us) ratios[row.kind].push_back(row.measured_us / *row.held_out_us);
  }
  result.device.accuracy.clear();
  for (const auto& [kind, list] : ratios) {
    if (auto interval = interval_of(kind, list)) result.device.accuracy.push_back(std::move(*interval));
  }
}

}  // namespace

std::optional<machine::KernelAccuracy> interval_of(std::string kind, std::vector<double> ratios) {
  if (ratios.size() < kFewestShapes) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  const auto [low, high] = ratios.size() < kFewestForOrder ? interval_of_few(ratios) : interval_by_order(ratios);
  return machine::KernelAccuracy{.kind = std::move(kind),
                                 .rows = static_cast<std::int64_t>(ratios.size()),
                                 .low_ratio = rounded(std::min(low, 1.0)),
                                 .high_ratio = rounded(std::max(high, 1.0))};
}

Result<Calibration> calibrate(const KernelDevice& base, const std::vector<KernelRow>& rows, Diagnostics& diagnostics) {
  Calibration result{.device = base.device};
  result.device.budgets.reset();  // what is learnt are rates
  std::vector<KernelRow> used;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(used),
               [&](const KernelRow& row) { return usable(row, base.device, diagnostics); });
  name_timed_kinds(result.device, used);
  for (const KernelRow& row : used)
    result.rows.push_back(
        {.kind = row.kind, .measured_us = *row.measured_us, .before_us = priced_us(base.device, row)});
  std::vector<Group> groups = groups_of(used);
  std::size_t most = 0;
  for (const Group& group : groups) most = std::max(most, group.shapes);
  if (most < kFewestShapes)
    return Error{
        fmt::format("too few measured kernels to learn from: {} at most of what has constants in common", most),
        {},
        Error::kNoOffset,
        fmt::format("at least {} shapes of one kind, with their time in the column us", kFewestShapes)};
  std::erase_if(groups, [&](const Group& group) {
    if (group.shapes >= kFewestShapes) return false;
    diagnostics.add(kTooFewShapes, [&] { return group.name; });
    return true;
  });
  for (const Group& group : groups) result.shapes += group.shapes;
  const bool with_block = !groups.empty() && groups.back().name == kBlockGroup;
  const std::vector<Group> block(groups.end() - (with_block ? 1 : 0), groups.end());
  groups.resize(groups.size() - block.size());
  fit_groups(groups, result);
  fit_groups(block, result);
  for (std::size_t i = 0; i < used.size(); ++i) result.rows[i].after_us = priced_us(result.device, used[i]);
  set_intervals(result);
  if (result.device.gemm.memory_share > 1)
    diagnostics.add(kBeyondRates,
                    [&] { return fmt::format("gemm.memory_share is {:.3g}", result.device.gemm.memory_share); });
  return result;
}

}  // namespace orrery::llm

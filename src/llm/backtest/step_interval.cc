#include "llm/backtest/step_interval.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"

namespace orrery::llm {
namespace {

constexpr std::size_t kFewestModels = 3, kFewestRows = 9;

/// The 90th percentile of Student's t.
double student(std::size_t degrees) {
  constexpr std::array kStudent = {3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383};
  constexpr double kNormal = 1.282;
  if (degrees <= kStudent.size()) return kStudent[degrees - 1];
  // Cornish and Fisher's first term: within 0.2 % from ten degrees on.
  return kNormal * (1 + (kNormal * kNormal + 1) / (4 * static_cast<double>(degrees)));
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double one : values) sum += one;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<KindAccuracy> interval_over_models(std::string kind, const ModelRatios& ratios) {
  std::vector<double> means, inside;
  for (const auto& [model, list] : ratios) {
    std::vector<double> logs;
    for (const double ratio : list) logs.push_back(std::log(ratio));
    if (logs.empty()) continue;
    // A few rows that are far off do not move the middle of a model's.
    const double middle = median(std::vector<double>(logs));
    means.push_back(middle);
    for (const double one : logs) inside.push_back(one - middle);
  }
  if (means.size() < kFewestModels || inside.size() < kFewestRows) return std::nullopt;
  const double centre = mean_of(means), models = static_cast<double>(means.size());
  double square = 0;
  for (const double one : means) square += std::pow(one - centre, 2);
  const double between = student(means.size() - 1) * std::sqrt(square / (models - 1) * (1 + 1 / models));
  std::sort(inside.begin(), inside.end());
  const double below = sorted_quantile(inside, 0.1), above = sorted_quantile(inside, 0.9);
  // Independent causes: their spreads add up as squares.
  return KindAccuracy{.name = std::move(kind),
                      .rows = static_cast<double>(inside.size()),
                      .low_ratio = std::min(1.0, std::exp(centre - std::hypot(between, below))),
                      .high_ratio = std::max(1.0, std::exp(centre + std::hypot(between, above)))};
}

}  // namespace orrery::llm

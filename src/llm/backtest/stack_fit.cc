#include "llm/backtest/stack_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.h"
#include "llm/backtest/calibration.h"
#include "llm/backtest/robust_fit.h"

namespace orrery::llm {
namespace {

/// Errors are relative to the measured time; beyond 100 % a point costs the same wherever it is.
constexpr double kPointCap = 1;
/// A constant that is e times where it is pulled to costs as much as an error of 100 % of so many points: few points
/// move little. Of the common constants to the start; points of one model are alike, so that it takes many.
constexpr double kPullToStart = 70;
constexpr std::array kPulls = {1400.0, 700.0, 280.0, 140.0, 70.0};
/// Of two pulls that leave models out about equally well (points of percent), the weaker one says more of the stacks.
constexpr double kAsGood = 0.25;

/// What is fitted, and up to where.
struct RateField {
  double StackRates::*value;
  double most;
};
constexpr std::array kRateFields = {
    RateField{&StackRates::layer_us, 1e3},         RateField{&StackRates::expert_layer_us, 1e3},
    RateField{&StackRates::latent_layer_us, 1e3},  RateField{&StackRates::memory_share, 1},
    RateField{&StackRates::all_reduce_us, 1e3},    RateField{&StackRates::all_reduce_share, 1},
    RateField{&StackRates::prompt_matrix_share, 1}};

struct MeasuredPoint {
  KnownPoint known;
  std::string stack;
  double measured_ms = 0;
};
using Points = std::vector<const MeasuredPoint*>;

double predicted_ms(const StackConstants& constants, const StackRates& rates, const MeasuredPoint& point) {
  return closed_loop(*point.known.device, constants, rates, *point.known.model, point.known.loop).token_s * 1e3;
}

StackRates fitted_rates(const StackConstants& constants, const StackRates& start, const Points& points, double pull) {
  StackRates rates = start;
  RobustFitOptions options{.cap = kPointCap, .penalty = pull / static_cast<double>(points.size())};
  for (const RateField& field : kRateFields) options.highest.push_back(std::log(field.most / (start.*field.value)));
  const auto set = [&](const std::vector<double>& x) {
    for (std::size_t j = 0; j < kRateFields.size(); ++j)
      rates.*kRateFields[j].value = start.*kRateFields[j].value * std::exp(x[j]);
  };
  set(fit_robustly(
      [&](const std::vector<double>& x, std::vector<double>& residuals) {
        set(x);
        residuals.clear();
        for (const MeasuredPoint* point : points)
          residuals.push_back(predicted_ms(constants, rates, *point) / point->measured_ms - 1);
      },
      options));
  for (const RateField& field : kRateFields) rates.*field.value = rounded(rates.*field.value);
  return rates;
}

/// Entries that the points are about start empty, so that nothing of models that are left out stays in them; stacks and
/// generations that only the points have get an entry.
void begin_stacks(StackConstants& constants, const std::vector<MeasuredPoint>& points) {
  for (const MeasuredPoint& point : points) {
    const std::string& generation = point.known.device->generation;
    const StackRates* found = find_stack(constants, point.stack, generation);
    if (found == nullptr || found == &constants.common) {
      constants.stacks.push_back({.stack = point.stack, .generations = {generation}});
      continue;
    }
    StackRates& own = constants.stacks[static_cast<std::size_t>(found - constants.stacks.data())];
    own = {.stack = own.stack, .generations = own.generations};
  }
}

StackConstants fitted_constants(StackConstants constants, const Points& points, double pull) {
  StackRates common = fitted_rates(constants, constants.start, points, kPullToStart);
  common.stack = "any";
  common.generations.clear();
  constants.common = common;
  constants.pull = pull;
  for (StackRates& one : constants.stacks) {
    Points own;
    std::copy_if(points.begin(), points.end(), std::back_inserter(own), [&](const MeasuredPoint* point) {
      return find_stack(constants, point->stack, point->known.device->generation) == &one;
    });
    // Nothing in the table is about it: others measured it.
    if (own.empty() && one.layer_us > 0) continue;
    StackRates rates = own.empty() ? common : fitted_rates(constants, common, own, pull);
    rates.stack = one.stack;
    rates.generations = one.generations;
    one = std::move(rates);
  }
  return constants;
}

double own_ms(const StackConstants& constants, const MeasuredPoint& point) {
  return predicted_ms(constants, *find_stack(constants, point.stack, point.known.device->generation), point);
}

/// Each model by constants that were fitted on the others, for every pull.
std::vector<std::vector<double>> leave_models_out(const StackConstants& base, const std::vector<MeasuredPoint>& points,
                                                  const std::vector<const Architecture*>& models) {
  std::vector<std::vector<double>> left_out(kPulls.size(), std::vector<double>(points.size()));
  parallel_for(kPulls.size() * models.size(), [&](std::size_t task) {
    const std::size_t pull = task / models.size();
    const Architecture* model = models[task % models.size()];
    Points others;
    for (const MeasuredPoint& point : points) {
      if (point.known.model != model) others.push_back(&point);
    }
    const StackConstants constants = fitted_constants(base, others, kPulls[pull]);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].known.model == model) left_out[pull][i] = own_ms(constants, points[i]);
    }
  });
  return left_out;
}

double mean_error_pct(const std::vector<MeasuredPoint>& points, const std::vector<double>& predicted_ms) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    sum += std::abs(error_pct(predicted_ms[i], points[i].measured_ms)) / static_cast<double>(points.size());
  return sum;
}

std::size_t chosen_pull(const std::vector<PullTrial>& trials) {
  double best = trials.front().left_out_pct;
  for (const PullTrial& one : trials) best = std::min(best, one.left_out_pct);
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].left_out_pct <= best + kAsGood) chosen = i;
  }
  return chosen;
}

}  // namespace

Result<StackFit> fit_stacks(const Catalog& catalog, const std::vector<ServingPoint>& points, Diagnostics& diagnostics) {
  std::vector<MeasuredPoint> measured;
  std::vector<const Architecture*> models;
  for (const ServingPoint& point : points) {
    const auto known = known_point(catalog, point, diagnostics);
    if (!known || !point.tpot_ms) continue;
    measured.push_back({.known = *known, .stack = point.stack, .measured_ms = *point.tpot_ms});
    if (std::find(models.begin(), models.end(), known->model) == models.end()) models.push_back(known->model);
  }
  if (models.size() < 2)
    return Error{fmt::format("too few measured models to learn from: {}", models.size()),
                 {},
                 Error::kNoOffset,
                 "two at least, with their times in the column tpot_ms: one is left out at a time"};
  StackConstants base = catalog.stacks;
  begin_stacks(base, measured);
  const auto left_out = leave_models_out(base, measured, models);
  StackFit fit;
  for (std::size_t i = 0; i < kPulls.size(); ++i)
    fit.trials.push_back({.pull = kPulls[i], .left_out_pct = mean_error_pct(measured, left_out[i])});
  const std::size_t chosen = chosen_pull(fit.trials);
  Points all;
  for (const MeasuredPoint& point : measured) all.push_back(&point);
  fit.constants = fitted_constants(base, all, kPulls[chosen]);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const MeasuredPoint& point = measured[i];
    fit.points.push_back({.model = point.known.model->name,
                          .stack = point.stack,
                          .device = point.known.device->name,
                          .measured_ms = point.measured_ms,
                          .start_ms = predicted_ms(base, base.start, point),
                          .fitted_ms = own_ms(fit.constants, point),
                          .left_out_ms = left_out[chosen][i]});
    ratios.push_back(point.measured_ms / left_out[chosen][i]);
  }
  if (const auto interval = interval_of("served tpot", std::move(ratios)))
    fit.constants.unseen = {.name = interval->kind,
                            .rows = static_cast<double>(interval->rows),
                            .low_ratio = interval->low_ratio,
                            .high_ratio = interval->high_ratio,
                            .unseen_pct = rounded(fit.trials[chosen].left_out_pct)};
  return fit;
}

}  // namespace orrery::llm

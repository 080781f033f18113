#include "analyze/whatif/transfer_fit.h"

#include <cmath>
#include <functional>
#include <vector>

#include "base/statistics.h"

namespace orrery::analyze {
namespace {

double besides_alpha(const TransferSample& sample) { return static_cast<double>(sample.measured - sample.alpha); }

std::vector<TransferSample> spread(std::span<const TransferSample> samples) {
  if (samples.size() <= kMostSamples) return {samples.begin(), samples.end()};
  std::vector<TransferSample> taken;
  for (std::size_t i = 0; i < kMostSamples; ++i) taken.push_back(samples[i * samples.size() / kMostSamples]);
  return taken;
}

/// 0: no two samples differ in beta.
double median_slope(std::span<const TransferSample> samples) {
  return median(pair_slopes(samples, std::mem_fn(&TransferSample::beta), besides_alpha));
}

double median_ratio(std::span<const TransferSample> samples) {
  std::vector<double> ratios;
  for (const TransferSample& sample : samples) {
    if (sample.beta > 0) ratios.push_back(besides_alpha(sample) / static_cast<double>(sample.beta));
  }
  return median(ratios);
}

double median_alpha(std::span<const TransferSample> samples) {
  std::vector<double> alphas;
  for (const TransferSample& sample : samples) alphas.push_back(static_cast<double>(sample.alpha));
  return median(alphas);
}

double median_rest(std::span<const TransferSample> samples, double slope) {
  std::vector<double> rests;
  for (const TransferSample& sample : samples) rests.push_back(besides_alpha(sample) - slope * static_cast<double>(sample.beta));
  return median(rests);
}

double median_error_percent(std::span<const TransferSample> samples, double constant, double slope) {
  std::vector<double> errors;
  for (const TransferSample& sample : samples) {
    if (sample.measured <= 0) continue;
    const double off = besides_alpha(sample) - constant - slope * static_cast<double>(sample.beta);
    errors.push_back(100 * std::abs(off) / static_cast<double>(sample.measured));
  }
  return median(errors);
}

}  // namespace

TransferFit fit_transfers(std::span<const TransferSample> all) {
  const std::vector<TransferSample> samples = spread(all);
  double slope = median_slope(samples);
  double constant = slope > 0 ? median_rest(samples, slope) : 0;
  if (!(slope > 0) || constant + median_alpha(samples) < 0) {
    constant = 0;
    slope = median_ratio(samples);
  }
  if (!(slope > 0)) {
    slope = 1;
    constant = median_rest(samples, slope);
  }
  return {{.alpha_ps = static_cast<TimePs>(std::llround(constant)), .efficiency = 1 / slope},
          median_error_percent(samples, constant, slope)};
}

}  // namespace orrery::analyze

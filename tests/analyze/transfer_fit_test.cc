#include "analyze/whatif/job_calibration.h"

#include <doctest/doctest.h>

#include <vector>

using namespace orrery::analyze;

TEST_CASE("the slope is the median of all slopes between two, the constant the median of what is left") {
  // Besides alpha: 125, 145, 166, 500 at 10, 20, 30, 40. Slopes: 2, 2.05, 12.5, 2.1, 17.75, 33.4; the middle of 2.1
  // and 12.5 is 7.3.
  const std::vector<TransferSample> four = {{130, 5, 10}, {150, 5, 20}, {171, 5, 30}, {505, 5, 40}};
  const TransferFit fit = fit_transfers(four);
  CHECK(1 / fit.calibration.efficiency == doctest::Approx(7.3));
  CHECK(fit.calibration.alpha_ps == 26);  // the middle of 52, -1, -53, 208 is 25.5
}

TEST_CASE("sizes by which nothing would be done before it began are taken for one") {
  const TransferFit fit =
      fit_transfers(std::vector<TransferSample>{{1100, 10, 1000}, {2100, 10, 1010}, {1600, 10, 1005}});
  CHECK(fit.calibration.alpha_ps == 0);
  CHECK(1 / fit.calibration.efficiency == doctest::Approx(1590.0 / 1005));
}

TEST_CASE("a quarter of wild samples changes nothing") {
  std::vector<TransferSample> samples;
  for (int i = 1; i <= 12; ++i) {
    const std::int64_t beta = 1000 * i;
    samples.push_back({i % 5 == 0 ? 900'000 : 70 + 30 + beta * 5 / 4, 30, beta});
  }
  const TransferFit fit = fit_transfers(samples);
  CHECK(fit.calibration.efficiency == doctest::Approx(0.8));
  CHECK(fit.calibration.alpha_ps == 70);
  CHECK(fit.error_percent == doctest::Approx(0));
}

TEST_CASE("one size tells no constant") {
  const TransferFit fit = fit_transfers(std::vector<TransferSample>{{110, 10, 80}, {130, 10, 80}, {90, 10, 80}});
  CHECK(fit.calibration.alpha_ps == 0);
  CHECK(fit.calibration.efficiency == doctest::Approx(0.8));
  CHECK(fit.error_percent == doctest::Approx(100.0 * 20 / 130));
}

TEST_CASE("what takes less than the model's latency, or moves nothing, has all its difference in the constant") {
  const TransferFit fast = fit_transfers(std::vector<TransferSample>{{50, 100, 10}, {50, 100, 10}});
  CHECK(fast.calibration.efficiency == 1);
  CHECK(fast.calibration.alpha_ps == -60);
  const TransferFit barrier = fit_transfers(std::vector<TransferSample>{{50, 20, 0}, {70, 20, 0}, {60, 20, 0}});
  CHECK(barrier.calibration.efficiency == 1);
  CHECK(barrier.calibration.alpha_ps == 40);
}

TEST_CASE("larger operations that were not slower say nothing about the bandwidth") {
  const TransferFit fit = fit_transfers(std::vector<TransferSample>{{200, 0, 100}, {200, 0, 200}, {200, 0, 400}});
  CHECK(fit.calibration.alpha_ps == 0);
  CHECK(fit.calibration.efficiency == doctest::Approx(1));  // ratios 2, 1, 0.5
}

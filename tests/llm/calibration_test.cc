#include "llm/backtest/calibration.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "llm/backtest/calibration_sheets.h"
#include "llm/backtest/robust_fit.h"
#include "llm/diagnostics.h"
#include "llm/kernels/free_constants.h"
#include "llm/kernels/kernel_kinds.h"
#include "llm/shipped.h"
#include "machine/device/device_yaml.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

/// Products and streams as `device` would show them, every `wrong`-th of them three times as slow.
std::vector<KernelRow> timings(const machine::Device& device, std::size_t wrong = 1000) {
  std::vector<KernelRow> rows;
  const auto add = [&](KernelRow row) {
    row.measured_us = kernel_seconds(*find_kernel_kind(row.kind), device, row.sizes) * 1e6 *
                      (rows.size() % wrong == wrong - 1 ? 3 : 1);
    row.place = "t.csv: line " + std::to_string(rows.size() + 2);
    rows.push_back(std::move(row));
  };
  for (const double m : {16, 128, 1024, 4096}) {
    for (const double n : {1024, 4096, 14336}) {
      for (const double k : {1024, 4096}) add({.kind = "gemm", .sizes = {.m = m, .n = n, .k = k}});
    }
  }
  for (const double m : {64, 512, 4096, 16384, 65536}) {
    add({.kind = "add", .sizes = {.m = m, .n = 4096}});
    add({.kind = "swiglu", .sizes = {.m = m, .n = 4096}});
  }
  return rows;
}

const LearntConstant* find(const Calibration& calibration, std::string_view path) {
  const auto found = std::find_if(calibration.constants.begin(), calibration.constants.end(),
                                  [&](const auto& one) { return one.path == path; });
  return found == calibration.constants.end() ? nullptr : &*found;
}

double mean_error(const Calibration& calibration, double CalibratedRow::*us) {
  double sum = 0;
  for (const CalibratedRow& row : calibration.rows) sum += std::abs(row.*us / row.measured_us - 1);
  return sum / static_cast<double>(calibration.rows.size());
}

std::string text_of(const Calibration& calibration) {
  return calibrated_yaml(calibration, "some/where/t.csv", shipped_kernel_device("h100"));
}

}  // namespace

TEST_CASE("a robust fit finds a line through most points, and stays where nothing pulls") {
  // y = 2 + 3 t, but for two points; the third unknown is in no residual.
  const Residuals line = [](const std::vector<double>& x, std::vector<double>& residuals) {
    residuals.clear();
    for (int t = 0; t < 20; ++t) {
      const double truth = t == 4 || t == 11 ? 40.0 : (2 + 3 * t) / 20.0;
      residuals.push_back((x[0] + x[1] * t) / 20.0 - truth);
    }
  };
  RobustFitOptions options{.cap = 5, .penalty = 0, .highest = {10, 10, 10}, .lowest = -10};
  const std::vector<double> x = fit_robustly(line, options);
  CHECK(x[0] == doctest::Approx(2).epsilon(0.02));
  CHECK(x[1] == doctest::Approx(3).epsilon(0.01));
  CHECK(x[2] == 0);
  // A penalty that outweighs everything keeps all where it was; bounds hold.
  options.penalty = 1e6;
  for (const double one : fit_robustly(line, options)) CHECK(std::abs(one) < 1e-3);
  options.penalty = 0;
  options.highest = {10, 1, 10};
  CHECK(fit_robustly(line, options)[1] <= 1);
}

TEST_CASE("constants that made the timings are found again, from another start") {
  machine::Device truth = shipped_kernel_device("h100").device;
  truth.gemm.event_floor_us = 7;
  truth.gemm.memory_share = 0.6;
  truth.gemm.tile_efficiency = 0.9;
  truth.standalone->add = {.floor_us = 6, .bandwidth_gb_per_s = 2000};
  Diagnostics diagnostics;
  const auto learnt = calibrate(shipped_kernel_device("h100"), timings(truth), diagnostics);
  REQUIRE(learnt);
  CHECK(mean_error(*learnt, &CalibratedRow::before_us) > 0.15);
  CHECK(mean_error(*learnt, &CalibratedRow::after_us) < 0.01);
  CHECK(learnt->device.gemm.event_floor_us == doctest::Approx(7).epsilon(0.05));
  CHECK(learnt->device.gemm.memory_share == doctest::Approx(0.6).epsilon(0.05));
  CHECK(learnt->device.standalone->add.bandwidth_gb_per_s == doctest::Approx(2000).epsilon(0.02));
  // swiglu was only estimated; now it has figures of its own.
  REQUIRE(learnt->device.standalone->find("swiglu") != nullptr);
  // What was timed is no longer estimated, the rest still is.
  const std::vector<std::string>& estimated = learnt->device.standalone->estimated;
  CHECK(std::find(estimated.begin(), estimated.end(), "add") == estimated.end());
  CHECK(std::find(estimated.begin(), estimated.end(), "gelu") != estimated.end());
  CHECK(find(*learnt, "gemm.stream_floor_us") == nullptr);  // no row ran within a step
  const LearntConstant* floor = find(*learnt, "gemm.event_floor_us");
  REQUIRE(floor != nullptr);
  CHECK(floor->before == 5.25);
  CHECK(floor->with_more_pct > 0.1);
  CHECK(floor->with_less_pct > 0.1);
  for (const CalibratedRow& row : learnt->rows) {
    REQUIRE(row.held_out_us);
    CHECK(*row.held_out_us == doctest::Approx(row.measured_us).epsilon(0.1));
  }
}

TEST_CASE("faulty timings do not pull") {
  machine::Device truth = shipped_kernel_device("h100").device;
  truth.gemm.event_floor_us = 7;
  Diagnostics diagnostics;
  const auto learnt = calibrate(shipped_kernel_device("h100"), timings(truth, 8), diagnostics);
  REQUIRE(learnt);
  CHECK(learnt->device.gemm.event_floor_us == doctest::Approx(7).epsilon(0.1));
}

TEST_CASE("timings that the device already explains change nothing that matters") {
  const KernelDevice base = shipped_kernel_device("h200");
  Diagnostics diagnostics;
  const auto learnt = calibrate(base, timings(base.device), diagnostics);
  REQUIRE(learnt);
  CHECK(mean_error(*learnt, &CalibratedRow::after_us) < 1e-3);
  for (const LearntConstant& one : learnt->constants) CHECK(one.after == doctest::Approx(one.before).epsilon(1e-3));
}

TEST_CASE("rows that ran within a step say what steps are made of") {
  machine::Device truth = shipped_kernel_device("h100").device;
  truth.elementwise.norm_backward = 0.5;
  truth.attention.forward_share = 0.6;
  std::vector<KernelRow> rows;
  for (const double seq : {512, 1024, 2048, 4096}) {
    rows.push_back({.kind = "layernorm_bwd", .sizes = {.m = seq, .n = 4096, .run = KernelRun::step}});
    rows.push_back(
        {.kind = "sdpa_fwd", .sizes = {.batch = 4, .heads = 32, .seq = seq, .dim = 128, .run = KernelRun::step}});
    rows.push_back({.kind = "gemm", .sizes = {.m = seq, .n = 4096, .k = 128, .run = KernelRun::step}});
  }
  for (KernelRow& row : rows) row.measured_us = kernel_seconds(*find_kernel_kind(row.kind), truth, row.sizes) * 1e6;
  Diagnostics diagnostics;
  const auto learnt = calibrate(shipped_kernel_device("h100"), rows, diagnostics);
  REQUIRE(learnt);
  CHECK(learnt->device.elementwise.norm_backward == doctest::Approx(0.5).epsilon(0.02));
  CHECK(find(*learnt, "elementwise.norm_backward") != nullptr);
  CHECK(find(*learnt, "gemm.event_floor_us") == nullptr);
  CHECK(find(*learnt, "gemm.stream_floor_us") != nullptr);
  CHECK(mean_error(*learnt, &CalibratedRow::after_us) < 0.02);
}

TEST_CASE("too few shapes are refused, or left alone and told") {
  Diagnostics diagnostics;
  std::vector<KernelRow> rows = timings(shipped_kernel_device("h200").device);
  const std::vector<KernelRow> two(rows.begin(), rows.begin() + 2);
  const auto refused = calibrate(shipped_kernel_device("h100"), two, diagnostics);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().to_string() ==
        "too few measured kernels to learn from: 2 at most of what has constants in common (at least 3 shapes of one "
        "kind, with their time "
        "in the column us)");
  rows.push_back({.kind = "gelu", .sizes = {.m = 8, .n = 8}, .measured_us = 5.0});
  rows.push_back({.kind = "gemm", .sizes = {.m = 8, .n = 8, .k = 8}});
  rows.push_back({.kind = "conv", .sizes = {.m = 8}, .measured_us = 5.0});
  const auto learnt = calibrate(shipped_kernel_device("h100"), rows, diagnostics);
  REQUIRE(learnt);
  CHECK(learnt->rows.size() == rows.size() - 2);
  CHECK(diagnostics.count(kTooFewShapes) == 1);
  CHECK(diagnostics.count(kKernelNotMeasured) == 1);
  CHECK(diagnostics.count(kUnknownKernel) == 1);
  CHECK_FALSE(learnt->rows.back().held_out_us);
}

TEST_CASE("the description says what was learnt and from what, reads back, and is the same for any number of threads") {
  const std::vector<KernelRow> rows = timings(shipped_kernel_device("h200").device);
  Diagnostics diagnostics;
  const auto first = calibrate(shipped_kernel_device("h100"), rows, diagnostics);
  REQUIRE(first);
  CHECK(diagnostics.count(kBeyondRates) == 1);  // 4.8 TB/s on a device that should have 3.35
  const std::string text = text_of(*first);
  CHECK(text.find("#   [calibrated]  fitted on 34 kernel timings, 34 shapes, of t.csv;") != std::string::npos);
  CHECK(text.find("some/where") == std::string::npos);
  const auto device = machine::parse_device(text, "again.yaml");
  REQUIRE_MESSAGE(device.ok(), (device ? "" : device.error().to_string()));
  for (const KernelRow& row : rows) {
    const KernelKind& kind = *find_kernel_kind(row.kind);
    CHECK(kernel_seconds(kind, *device, row.sizes) == kernel_seconds(kind, first->device, row.sizes));
  }
  REQUIRE(device->accuracy.size() == 3);
  CHECK(device->accuracy[1].kind == "gemm");
  CHECK(device->accuracy[1].rows == 24);
  set_thread_count(1);
  const auto alone = calibrate(shipped_kernel_device("h100"), rows, diagnostics);
  set_thread_count(0);
  REQUIRE(alone);
  CHECK(text_of(*alone) == text);
  const report::Sheet constants = constant_sheet(*first), kinds = calibrated_kind_sheet(*first);
  CHECK(constants.rows() == first->constants.size());
  CHECK(kinds.text(kinds.find("kind"), kinds.rows() - 1) == "all");
  CHECK(kinds.rows() == 4);
  CHECK(calibrated_row_sheet(*first).rows() == rows.size());
}

TEST_CASE("an interval has the outermost of nine ratios, is Student's for fewer, and holds the prediction") {
  CHECK_FALSE(interval_of("gemm", {1, 1}));
  // Logarithms -0.1, 0 and 0.1: 1.886 x 0.1 x sqrt(4 / 3) either way.
  const auto three = interval_of("gemm", {std::exp(0.1), 1, std::exp(-0.1)});
  REQUIRE(three);
  CHECK(three->high_ratio == doctest::Approx(std::exp(0.2178)).epsilon(1e-3));
  CHECK(three->low_ratio == doctest::Approx(std::exp(-0.2178)).epsilon(1e-3));
  const auto nine = interval_of("gemm", {1.1, 0.9, 1.05, 0.95, 1, 1.2, 0.8, 1.01, 0.99});
  REQUIRE(nine);
  CHECK(nine->low_ratio == 0.8);
  CHECK(nine->high_ratio == 1.2);
  std::vector<double> biased;
  for (int i = 0; i < 19; ++i) biased.push_back(1.1 + 0.01 * i);
  const auto beside = interval_of("gemm", biased);
  CHECK(beside->low_ratio == 1);
  CHECK(beside->high_ratio == 1.27);
}

TEST_CASE("every shipped interval holds its prediction") {
  for (const KindAccuracy& one : shipped().accuracy.kinds) {
    CHECK_MESSAGE(one.low_ratio <= 1, one.name);
    CHECK_MESSAGE(one.high_ratio >= 1, one.name);
    CHECK_MESSAGE(one.rows >= kFewestForOrder, one.name);
  }
  CHECK(shipped_device("h200").accuracy.size() >= 11);
  for (const machine::KernelAccuracy& one : shipped_device("h200").accuracy) {
    CHECK(one.low_ratio <= 1);
    CHECK(one.high_ratio >= 1);
  }
}

TEST_CASE("every row of a known kind has a group whose constants are there, or none") {
  machine::Device device = shipped_kernel_device("h200").device;
  std::vector<KernelRow> rows;
  for (const KernelKind& kind : kernel_kinds()) {
    for (const KernelRun run : {KernelRun::alone, KernelRun::step})
      rows.push_back({.kind = std::string(kind.name), .sizes = {.run = run}});
  }
  name_timed_kinds(device, rows);
  for (const KernelRow& row : rows) {
    const std::string group = group_of(row);
    if (group.empty()) continue;
    const auto constants = constants_of(group, device);
    CHECK_MESSAGE(!constants.empty(), group);
    for (const FreeConstant& constant : constants) CHECK(constant.at(device) > 0);
  }
}

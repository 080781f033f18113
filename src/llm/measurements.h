// What stands behind a measurement: how somebody else timed kernels, and how far measurements lay from predictions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::llm {

struct MethodDevice {
  std::string device;
  double added_us = 0;  ///< to every matrix product
};

/// An element-wise kernel: floor + bytes / bandwidth.
struct MethodKernel {
  std::string device;
  std::string kernel;
  double floor_us = 0;
  double bandwidth_gb_per_s = 0;
};

/// How somebody else timed kernels: what their way of measuring adds. data/benchmarks has one file each.
struct MeasuringMethod {
  std::string name;
  double clock_share = 0;  ///< of the usual clock
  double floor_us = 0;     ///< in place of the floor by events; 0: that floor
  bool cold_cache = false;
  bool power_throttled = false;
  double added_us = 0;           ///< to every matrix product on devices that are not listed
  double vector_ns_per_k = 0;    ///< product with a vector: latency along k; 0: priced like any other product
  double vector_wave_share = 0;  ///< growth per wave of tiles
  std::vector<MethodDevice> devices = {};
  std::vector<MethodKernel> kernels = {};
};

/// Eight of ten measurements lay between these ratios of measured to predicted.
struct KindAccuracy {
  std::string name;  ///< as Prediction::kind
  double rows = 0;   ///< measurements that it stands on
  double low_ratio = 0;
  double high_ratio = 0;
  std::optional<double> unseen_pct = {};  ///< mean error of rows that the constants had not seen; none: not known
};

/// What an interval around a prediction stands on. data/accuracy has the values, written by scripts/llm_accuracy.py
/// from a back-test.
struct Accuracy {
  std::vector<KindAccuracy> kinds = {};

  /// Null: too few measurements of that kind.
  [[nodiscard]] const KindAccuracy* find(std::string_view kind) const {
    for (const KindAccuracy& one : kinds) {
      if (one.name == kind) return &one;
    }
    return nullptr;
  }
};

/// Bus bandwidth in GB/s that a job measured over all of its ranks; none: it did not say.
struct MeasuredBus {
  std::optional<double> all_reduce, all_gather, reduce_scatter;

  [[nodiscard]] bool is_measured() const { return all_reduce || all_gather || reduce_scatter; }
};

/// How far predictions are from measurements.
struct ErrorSummary {
  std::size_t rows = 0;
  double mean_pct = 0;    ///< of the absolute errors
  double median_pct = 0;  ///< of the absolute errors
  double bias_pct = 0;    ///< mean of the signed errors
};

/// Of signed errors in percent; all 0 without any.
ErrorSummary summarise_errors(const std::vector<double>& errors_pct);

/// (predicted / measured - 1) in percent. `measured` must not be 0.
double error_pct(double predicted, double measured);

}  // namespace orrery::llm

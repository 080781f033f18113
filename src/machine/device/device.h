// One accelerator as the kernel model sees it: published rates, and the few constants that measurements of its kernels
// gave. A plain value, read from data/devices; docs/formats/device.md tells the fields. What connects devices is a
// Machine's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.h"
#include "machine/device/chip_budget.h"
#include "machine/machine.h"

namespace orrery::machine {

// What devices are called in descriptions of networks.

/// The 3 of "device3"; none for any other text, such as "device03" or "device_a", which name switches.
inline std::optional<std::uint64_t> device_number(std::string_view name) {
  constexpr std::string_view kPrefix = "device";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.empty() || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  return parse_number<std::uint64_t>(name);
}

/// How matrix products run on the device; kernel_gemm.h has the formula that each constant stands in.
struct GemmConstants {
  double wave_share = 0;           ///< of a wave that is not full, the share that is paid all the same
  double tile_efficiency = 0;      ///< of the peak rate, in the limit of large tiles
  double tile_edge = 0;            ///< elements: efficiency falls with this / tile rows + this / tile columns
  double pipeline_fill = 0;        ///< elements of k that filling the pipeline of a tile costs
  double throttle_per_e_fold = 0;  ///< slowdown by power, per e-fold of work beyond throttle_from_gflop
  double throttle_from_gflop = 0;
  double memory_share = 0;     ///< of the memory's peak bandwidth that is reached
  double event_floor_us = 0;   ///< the shortest kernel as events measure it
  double stream_floor_us = 0;  ///< the same inside a stream or graph
  double split_us = 0;         ///< the reduction after a split along k
  double dirty_share = 0;      ///< cold cache: bytes written back first, per byte of the operands
  double dirty_limit_mb = 0;   ///< and no more than this

  friend bool operator==(const GemmConstants&, const GemmConstants&) = default;
};

/// Flash attention, causal: shares of the bf16 peak, and the sequence at which half of that is lost.
struct AttentionConstants {
  double forward_share = 0;
  double forward_half_sequence = 0;
  double backward_share = 0;
  double backward_half_sequence = 0;
  double narrow_head_forward = 0;  ///< factor on the share for heads of at most 64
  double narrow_head_backward = 0;

  friend bool operator==(const AttentionConstants&, const AttentionConstants&) = default;
};

/// What share of the memory's peak bandwidth each kind of element-wise kernel reaches in a running step.
struct ElementwiseShares {
  double norm_forward = 0;
  double norm_backward = 0;
  double add = 0;
  double activation_forward = 0;
  double activation_backward = 0;
  double bias_gradient = 0;
  double rotary_forward = 0;
  double rotary_backward = 0;
  double cross_entropy = 0;
  double accumulate = 0;
  double cast = 0;
  double optimizer_16bit = 0;
  double optimizer_32bit = 0;

  friend bool operator==(const ElementwiseShares&, const ElementwiseShares&) = default;
};

/// floor + bytes / bandwidth.
struct StreamingKernel {
  double floor_us = 0;
  double bandwidth_gb_per_s = 0;
};

/// One block per row: floor + (block + per column * n) (1 + (rows / rows at once)^sharpness)^(1 / sharpness).
struct RowKernel {
  double floor_us = 0;
  double block_us = 0;
  double column_ns = 0;
  double blocks_per_unit = 0;
  double sharpness = 0;
};

/// An algorithm that a library takes for rows of up to `max_columns`: bandwidth (n / at_columns)^exponent.
struct RowAlgorithm {
  std::int64_t max_columns = 0;
  double bandwidth_gb_per_s = 0;
  double at_columns = 1;
  double exponent = 0;
};

struct SoftmaxKernel {
  double floor_us = 0;
  std::vector<RowAlgorithm> algorithms = {};  ///< by max_columns, ascending; the last also takes what is wider
};

/// Attention timed alone: forward, and forward with backward, where the host's launches set a floor.
struct AttentionKernel {
  double floor_us = 0;
  double forward_share = 0;
  double forward_half_sequence = 0;
  double backward_share = 0;
  double backward_half_sequence = 0;
  double gradient_passes = 0;  ///< over q, k and v, to accumulate their gradients
  double host_us = 0;
};

/// A transformer block timed alone in eager mode: factor x (sum of its kernels) + what the host adds.
struct BlockKernel {
  double factor = 0;
  double forward_us = 0;
  double both_us = 0;
};

/// A kind of element-wise kernel as a table of kernels calls it ("swiglu"), timed alone.
struct NamedKernel {
  std::string kind;
  StreamingKernel kernel;
};

/// Kernels as a stand-alone benchmark times them: by events, one at a time, with a cold cache.
struct StandaloneKernels {
  StreamingKernel add;
  StreamingKernel gelu;
  SoftmaxKernel softmax;
  RowKernel norm;
  StreamingKernel host_copy;
  StreamingKernel device_copy;
  AttentionKernel attention;
  BlockKernel block;
  std::vector<NamedKernel> kinds = {};  ///< element-wise kernels besides add and gelu that were timed
  /// Which of the parts above ("softmax") were not timed on this device, but taken over from another.
  std::vector<std::string> estimated = {};

  /// Null: that kind was not timed.
  [[nodiscard]] const StreamingKernel* find(std::string_view kind) const {
    for (const NamedKernel& one : kinds) {
      if (one.kind == kind) return &one.kernel;
    }
    return nullptr;
  }
};

/// How far kernels of a kind that were timed alone lay from the model: eight of ten between these ratios of measured to
/// predicted, where the constants had not seen them.
struct KernelAccuracy {
  std::string kind;
  std::int64_t rows = 0;  ///< measurements that it stands on
  double low_ratio = 0;
  double high_ratio = 0;
};

/// `budgets` stand for the rates, which reading a description derives from them.
struct Device {
  std::string name;
  std::vector<std::string> aliases = {};  ///< other texts by which it is known: "H800"
  std::string generation;                 ///< "hopper": frameworks keep some constants per generation
  std::optional<ChipBudget> budgets = {};
  std::int64_t compute_unit_count = 0;
  PeakTflops matrix_peak_tflops = {};
  PeakTflops vector_peak_tflops = {};             ///< outside the matrix units
  MemoryLevel memory;                             ///< the outermost level
  MemoryLevel cache;                              ///< the level below it that all compute units share
  double scale_up_gb_per_s = 0;                   ///< of one device to its neighbours, one direction
  std::int64_t scale_up_devices = 0;              ///< in one such domain
  std::optional<double> host_link_gb_per_s = {};  ///< to the host's memory, one direction
  double sustained_slowdown = 1;                  ///< of matrix products in training against isolated kernels
  GemmConstants gemm = {};                        ///< all 0, as the two below: not known (complete_constants)
  AttentionConstants attention = {};
  ElementwiseShares elementwise = {};
  std::optional<StandaloneKernels> standalone = {};  ///< where they were measured
  std::vector<KernelAccuracy> accuracy = {};         ///< of the kinds that were timed alone
  std::optional<std::string> tables = {};            ///< the folder of what was measured, beside the description
  std::string tables_folder = {};   ///< the same from where the program runs; empty: there is none, or no file was read
  std::string constants_from = {};  ///< whose constants were taken over; empty: they are its own

  [[nodiscard]] bool has_constants() const {
    return gemm != GemmConstants{} && attention != AttentionConstants{} && elementwise != ElementwiseShares{};
  }

  /// Of matrix products. 0: the device does not compute in that format, or its rate is not known. Where only bf16 is
  /// listed, fp16 is as fast: both use the same units. A format without matrix units is computed outside of them.
  [[nodiscard]] double peak_flops(DataType type) const {
    if (const auto listed = matrix_peak_tflops[type]) return *listed * 1e12;
    if (type == DataType::fp16) return matrix_peak_tflops[DataType::bf16].value_or(0) * 1e12;
    return vector_peak_tflops[type].value_or(0) * 1e12;
  }
  [[nodiscard]] double memory_bytes_per_s() const { return memory.bandwidth_gb_per_s.value_or(0) * 1e9; }
  [[nodiscard]] double cache_bytes_per_s() const { return cache.bandwidth_gb_per_s.value_or(0) * 1e9; }
  [[nodiscard]] double memory_bytes() const { return memory.capacity_gb * 1e9; }
  [[nodiscard]] double cache_bytes() const { return cache.capacity_gb * 1e9; }
  [[nodiscard]] double scale_up_bytes_per_s() const { return scale_up_gb_per_s * 1e9; }
};

}  // namespace orrery::machine

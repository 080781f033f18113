// The kernels of a model on one device, as a step of a serving engine launches them, and how long each takes.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "llm/collectives/device_collectives.h"
#include "llm/engine/step_cost.h"
#include "llm/kernels/kernel_devices.h"
#include "llm/kernels/kernel_list.h"
#include "llm/serving/inference_plan.h"
#include "machine/device/collective_lines.h"
#include "machine/warm/warm_kernel.h"

namespace orrery::llm {

/// Where in its interval a time is taken.
enum class IntervalPoint : std::uint8_t { low, middle, high };

/// Parts of a step whose errors are independent.
enum class Part : std::uint8_t { products, prompts, decodes, experts, small, collectives };
constexpr std::size_t kBatchParts = 6;

struct PartTime {
  double s = 0, low_s = 0, high_s = 0;

  PartTime& operator+=(const PartTime& other) {
    s += other.s;
    low_s += other.low_s;
    high_s += other.high_s;
    return *this;
  }
  friend PartTime operator*(double times, const PartTime& one) {
    return {times * one.s, times * one.low_s, times * one.high_s};
  }
};

/// What no kernel says: gaps, fusions and libraries of an engine. So far off are 80 % of measured serving points in
/// both directions, beside what kernels are (docs/SERVING.md).
inline constexpr double kEngineShare = 0.2;

struct BatchTimes {
  std::array<PartTime, kBatchParts> parts;

  PartTime& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  BatchTimes& operator+=(const BatchTimes& other) {
    for (std::size_t i = 0; i < kBatchParts; ++i) parts[i] += other.parts[i];
    return *this;
  }
  [[nodiscard]] double at(IntervalPoint point) const {
    double sum = 0, squares = 0;
    for (const PartTime& part : parts) {
      sum += part.s;
      const double off = point == IntervalPoint::low ? part.s - part.low_s : part.high_s - part.s;
      squares += off * off;
    }
    if (point == IntervalPoint::middle) return sum;
    squares += kEngineShare * sum * (kEngineShare * sum);
    return point == IntervalPoint::low ? sum - std::sqrt(squares) : sum + std::sqrt(squares);
  }
};

class ModelKernels {
 public:
  ModelKernels(const InferencePlan& plan, KernelDevice device, std::optional<DeviceCollectives> collectives,
               machine::WarmFormat format, const machine::RailLink& rail);

  [[nodiscard]] const InferencePlan& plan() const { return plan_; }
  [[nodiscard]] const KernelDevice& device() const { return device_; }
  [[nodiscard]] bool shares_experts() const { return model().experts && plan_.expert_replicas() > 1; }
  /// Every kind of kernel that a step may have was measured, on this device or a relative; else which was not.
  [[nodiscard]] Status check() const;

  /// All that goes by the tokens of a step, in all layers: products, experts that replicas do not share, small kernels
  /// and the collectives of tensor parallelism.
  [[nodiscard]] BatchTimes by_tokens(double tokens) const;
  /// The head, and choosing tokens.
  [[nodiscard]] BatchTimes by_sequences(double sequences) const;
  /// Attention of a piece of a prompt, in all layers: that of the prompt up to its end, without that up to its
  /// beginning.
  [[nodiscard]] PartTime prompt(const PromptPiece& piece) const;
  /// Attention of so many tokens that look at `context` keys each, in all layers.
  [[nodiscard]] PartTime decodes(double count, double context) const;
  /// Experts that replicas share, and the way there and back: of all tokens together, at most so many of one replica.
  [[nodiscard]] BatchTimes shared_experts(double tokens, double most) const;
  /// What one stage sends to the next.
  [[nodiscard]] double message_s(double tokens) const;

 private:
  [[nodiscard]] const Architecture& model() const { return plan_.shape.model; }
  [[nodiscard]] double tensor() const { return plan_.shape.job.tensor; }
  [[nodiscard]] PartTime warm(const machine::WarmKernel& kernel) const;
  [[nodiscard]] PartTime cold(const machine::WarmKernel& kernel) const;
  [[nodiscard]] PartTime product(double m, double n, double k) const;
  [[nodiscard]] PartTime mlp(double m, double ffn) const;
  [[nodiscard]] PartTime experts(double m) const;
  [[nodiscard]] PartTime streaming(ElementwiseRate rate, double bytes) const;
  [[nodiscard]] PartTime with_windows(const PartTime& full, const PartTime& in_window) const;
  [[nodiscard]] PartTime collective(machine::NodeCollective op, double ranks, double bytes) const;
  [[nodiscard]] double domains(double ranks) const;
  [[nodiscard]] double link_bytes_per_s(double ranks) const;
  [[nodiscard]] machine::WarmKernel attention(machine::WarmKind grouped, machine::WarmKind latent, double batch,
                                              double sequence) const;
  void products(BatchTimes& step, double m) const;
  void small_kernels(BatchTimes& step, double m) const;

  InferencePlan plan_;
  KernelDevice device_;
  std::optional<DeviceCollectives> collectives_;
  machine::WarmFormat format_;
  machine::RailLink rail_;
};

}  // namespace orrery::llm

#include "analyze/roofline/achievable_time.h"

#include <algorithm>

#include "machine/device/kernel_gemm.h"

namespace orrery::analyze {
namespace {

/// What share of the peak rate and of the memory's bandwidth kernels of a kind reach.
struct Reached {
  double compute = 1;
  double memory = 1;
};

Reached reached_by(const machine::Device& device, OperatorKind kind) {
  const machine::ElementwiseShares& shares = device.elementwise;
  switch (kind) {
    case OperatorKind::gemm:
    case OperatorKind::grouped_gemm:
    case OperatorKind::conv: return {device.gemm.tile_efficiency, device.gemm.memory_share};
    case OperatorKind::attention: return {device.attention.forward_share, device.gemm.memory_share};
    // Both go over rows, once to reduce them and once to write.
    case OperatorKind::norm:
    case OperatorKind::softmax: return {1, shares.norm_forward};
    case OperatorKind::elementwise: return {1, shares.add};
    case OperatorKind::copy: return {1, shares.cast};
  }
  return {};
}

/// A device of which nobody fitted it has 0: then the peak itself.
double at(double peak, double share) { return share > 0 ? peak * share : peak; }

}  // namespace

double achievable_seconds(const machine::Device& device, const PricedCall& call) {
  const OperatorCost& cost = *call.cost;
  const bool is_product = cost.kind == OperatorKind::gemm && cost.m >= 1 && cost.n >= 1 && cost.k >= 1 &&
                          cost.batch >= 1 && device.gemm.tile_efficiency > 0 && device.peak_flops(call.peak) > 0;
  if (is_product) {
    return machine::gemm_seconds(device,
                                 {.m = cost.m, .n = cost.n, .k = cost.k, .batch = cost.batch, .type = call.peak},
                                 machine::in_stream(device));
  }
  const Reached reached = reached_by(device, cost.kind);
  const double compute = cost.flops > 0 ? cost.flops / at(peak_of(device, call), reached.compute) : 0;
  const double memory = cost.bytes / at(device.memory_bytes_per_s(), reached.memory);
  // No kernel is shorter than the shortest, however little it does.
  return device.gemm.stream_floor_us * 1e-6 + std::max(compute, memory);
}

}  // namespace orrery::analyze

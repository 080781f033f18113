#include "analyze/roofline/owner_prices.h"

#include <algorithm>

#include "analyze/roofline/priced_works.h"

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

/// How long good kernels take for a call with a roof: the kernel model of machine/device, which was fitted to measured
/// kernels, where the roof is what the datasheet promises. Products by their shape; everything else by the shares of
/// the peaks that kernels of its sort reach, and never less than the shortest kernel takes.
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

OwnerPrice price_of(const PricedCall& call, const machine::Device& device) {
  OwnerPrice price;
  if (!call.cost) return price;
  price.kind = call.cost->kind;
  const OperatorCost& cost = *call.cost;
  if (cost.kind == OperatorKind::gemm && cost.m > 0 && cost.n > 0 && cost.k > 0 && device.peak_flops(call.peak) > 0)
    price.product = machine::GemmShape{.m = cost.m, .n = cost.n, .k = cost.k, .batch = cost.batch, .type = call.peak};
  if (!call.roof || call.time <= 0) return price;
  const double measured = static_cast<double>(call.time);
  const double roof = static_cast<double>(*call.roof) / measured;
  const double model = achievable_seconds(device, call) * static_cast<double>(kPsPerSecond) / measured;
  price.roof = std::min(roof, 1.0);
  // A model below the roof, or of a kernel that was faster than it, says nothing new.
  price.achievable = std::clamp(model, *price.roof, 1.0);
  return price;
}

}  // namespace

Result<std::vector<OwnerPrice>> price_owners(const causal::CausalGraph& job, const trace::Trace& trace,
                                             const machine::Device& device) {
  std::vector<OwnerPrice> prices(job.owners.size());
  causal::WindowRequest whole;  // calls are priced as a whole, wherever the window cuts them
  whole.annotation = "";
  for (const trace::RankTrace& rank : trace.ranks) {
    Diagnostics said;  // whoever made the graph said it
    const auto devices = look_at_devices(trace, rank, whole, false, said);
    if (!devices) return devices.error();
    WorkOrigins origins(trace, rank, devices->timeline);
    const PricedWorks priced = price_works(*devices, origins, device);
    std::vector<OwnerPrice> of_calls;
    of_calls.reserve(priced.calls.size());
    for (const PricedCall& call : priced.calls) of_calls.push_back(price_of(call, device));
    const std::vector<std::uint32_t> owner_of = causal::owners_of_works(job, rank, devices->timeline);
    for (std::size_t w = 0; w < owner_of.size(); ++w) {
      if (owner_of[w] != causal::kNoWork && priced.of_work[w] != PricedWorks::kNoCall)
        prices[owner_of[w]] = of_calls[priced.of_work[w]];
    }
  }
  return prices;
}

}  // namespace orrery::analyze

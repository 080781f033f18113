#include "analyze/roofline/owner_prices.h"

#include <algorithm>

#include "analyze/roofline/achievable_time.h"
#include "analyze/roofline/priced_works.h"

namespace orrery::analyze {
namespace {

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

#include "analyze/roofline/owner_prices.h"

#include <algorithm>

#include "analyze/roofline/achievable_time.h"
#include "analyze/roofline/priced_works.h"
#include "base/column.h"

namespace orrery::analyze {
namespace {

constexpr std::uint32_t kNoOwner = ~std::uint32_t{0};

/// The owners of one rank by where their events stand in its file, which is how owners know them.
Column<std::uint32_t> owners_by_ordinal(const causal::CausalGraph& job, std::size_t place, std::size_t events) {
  Column<std::uint32_t> owner_at(events, kNoOwner);
  const auto end =
      static_cast<std::uint32_t>(place + 1 < job.ranks.size() ? job.ranks[place + 1].first_owner : job.owners.size());
  for (std::uint32_t o = job.ranks[place].first_owner; o < end; ++o) {
    if (job.owners[o].ordinal < events) owner_at[job.owners[o].ordinal] = o;
  }
  return owner_at;
}

OwnerPrice price_of(const PricedCall& call, const machine::Device& device) {
  OwnerPrice price;
  if (!call.cost) return price;
  price.kind = call.cost->kind;
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
  for (std::size_t place = 0; place < job.ranks.size(); ++place) {
    const auto rank = std::find_if(trace.ranks.begin(), trace.ranks.end(),
                                   [&](const trace::RankTrace& one) { return one.rank == job.ranks[place].rank; });
    if (rank == trace.ranks.end()) continue;
    Diagnostics said;  // whoever made the graph said it
    const auto devices = look_at_devices(trace, *rank, whole, false, said);
    if (!devices) return devices.error();
    const std::uint32_t last =
        rank->ordinal.empty() ? 0 : *std::max_element(rank->ordinal.begin(), rank->ordinal.end());
    const Column<std::uint32_t> owner_at = owners_by_ordinal(job, place, std::size_t{last} + 1);
    WorkOrigins origins(trace, *rank, devices->timeline);
    const PricedWorks priced = price_works(*devices, origins, device);
    std::vector<OwnerPrice> of_calls;
    of_calls.reserve(priced.calls.size());
    for (const PricedCall& call : priced.calls) of_calls.push_back(price_of(call, device));
    for (std::uint32_t w = 0; w < priced.of_work.size(); ++w) {
      if (priced.of_work[w] == PricedWorks::kNoCall) continue;
      const std::uint32_t owner = owner_at[rank->ordinal[devices->timeline.works[w].event]];
      if (owner != kNoOwner) prices[owner] = of_calls[priced.of_work[w]];
    }
  }
  return prices;
}

}  // namespace orrery::analyze

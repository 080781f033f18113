#include "replay/torch/scale/scaled_calls.h"

#include "replay/torch/build/counted_indices.h"
#include "replay/torch/scale/scale_propagation.h"
#include "replay/torch/scale/scale_refusals.h"
#include "replay/torch/scale/scale_seeds.h"
#include "replay/torch/scale/scaled_arguments.h"
#include "replay/torch/scale/scaled_memory.h"
#include "replay/torch/scale/scaled_steps.h"
#include "replay/torch/scale/seed_parts.h"
#include "replay/torch/build/tensor_sites.h"
#include "replay/torch/source/uncalled_rows.h"

namespace orrery::replay::torch {
namespace {

void count_changed(const std::vector<std::uint8_t>& has_changed, const TensorSites& sites, const ScaledMemory& memory,
                   ScaledCalls& scaled) {
  for (std::size_t i = 0; i < sites.users.size(); ++i)
    (sites.users[i].is_collective() ? scaled.collectives : scaled.calls) += has_changed[i];
  for (std::uint32_t i = 0; i < sites.users_of.size(); ++i) scaled.storages += memory.is_scaled(i) ? 1 : 0;
}

}  // namespace

Result<ScaledCalls> scale_calls(const ScaleRequest& request, const RankSource& source, const Schemas& schemas,
                                const trace::HostArguments& arguments, ChosenCalls& chosen, Lifetimes& lifetimes) {
  const trace::HostTrace& host = *source.host;
  const ScaleRefusals refusals(request, source);
  if (const Status callable = check_all_callable(source, chosen); !callable) return callable.error();
  const auto seeds = find_scale_seeds(request, host, schemas, chosen, arguments, lifetimes);
  if (seeds.empty()) return refusals.nothing_selected();

  const TensorSites sites = find_tensor_sites(host, schemas, arguments, lifetimes, chosen);
  const CountedIndices counted(sites);
  ScaledMemory memory(sites, refusals);
  ScalePropagation propagation(host, sites, counted, refusals, memory);
  const SeedParts start = parts_of_seeds(request.what, seeds, sites);
  for (const SeedPart& seed : start.each) {
    if (const Status added = propagation.require(seed.site, seed.wanted); !added) return added.error();
  }
  const auto size_after = request.factor.times(start.size);
  if (!size_after || *size_after < 1) return refusals.no_whole_number(start.size);
  if (const Status followed = propagation.run(); !followed) return followed.error();
  if (const Status known = check_rows_between(host, schemas, arguments, chosen, lifetimes, sites, memory, refusals); !known)
    return known.error();

  const auto has_changed = scale_arguments(host, request.factor, sites, memory, counted, refusals);
  if (!has_changed) return has_changed.error();
  grow_lifetimes(memory, request.factor, lifetimes);
  if (const Status alike = check_steps_alike(source, chosen, *has_changed); !alike) return alike.error();
  ScaledCalls scaled{.size_before = start.size, .size_after = *size_after};
  count_changed(*has_changed, sites, memory, scaled);
  return scaled;
}

}  // namespace orrery::replay::torch

#include "replay/torch/scale/scaled_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "replay/torch/build/counted_indices.h"
#include "replay/torch/build/tensor_sites.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/scale/scale_propagation.h"
#include "replay/torch/scale/scale_refusals.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/scale/scale_seeds.h"
#include "replay/torch/scale/scaled_arguments.h"
#include "replay/torch/scale/scaled_memory.h"
#include "replay/torch/scale/scaled_view.h"
#include "replay/torch/source/recorded_steps.h"
#include "replay/torch/source/uncalled_rows.h"
#include "report/counted.h"

namespace orrery::replay::torch {

// What is scaled of the dimensions that were found first: all of each, or of sequences that are cut out of longer ones
// what is cut out.

struct SeedPart {
  std::uint32_t site;  ///< into TensorSites::all
  DimensionPart wanted;
};

struct SeedParts {
  std::int64_t size = 0;       ///< of the dimension that was asked for
  std::vector<SeedPart> each;  ///< in the order of the seeds
};

SeedParts parts_of_seeds(ScaleRequest::What what, const std::vector<ScaleSeed>& seeds, const TensorSites& sites);

namespace {

// All of a dimension but the tokens that are there to predict the next one from: those that no slice of it has.
Part sequence_of(const TensorSites& sites, const TensorSite& at, std::uint32_t dimension) {
  const std::int64_t size = at.tensor->shape[dimension];
  const Part whole{1, size};
  const Axis axis{at.tensor->stride[dimension] * at.tensor->type.bytes, size};
  std::int64_t slice = 0;
  for (const std::uint32_t user : sites.users_of[at.lifetime]) {
    for (const TensorSite& site : sites.of(sites.users[user])) {
      const auto part = site.lifetime == at.lifetime ? part_of_axis(*site.tensor, axis) : std::nullopt;
      if (!part || part->part.count == size) continue;
      // Slices of several sizes keep their shares.
      if (slice != 0 && slice != part->part.count) return whole;
      slice = part->part.count;
    }
  }
  const bool is_likely = slice > 0 && size - slice <= slice / 8 &&
                         can_all_follow(sites, at.lifetime, {axis.stride_bytes, slice, size - slice});
  return is_likely ? Part{1, slice, size - slice} : whole;
}

}  // namespace

SeedParts parts_of_seeds(ScaleRequest::What what, const std::vector<ScaleSeed>& seeds, const TensorSites& sites) {
  const auto site_of = [&](const ScaleSeed& seed) { return sites.users[seed.call].first + seed.tensor; };
  // What is seen of one of them holds for all: the last data of a recording is copied, and not used any more.
  Part cut{};
  SeedParts parts;
  for (const ScaleSeed& seed : seeds) {
    const TensorSite& site = sites.all[site_of(seed)];
    parts.size = std::max(parts.size, site.tensor->shape[seed.dimension]);
    if (what != ScaleRequest::What::sequence) continue;
    cut = std::max(cut, sequence_of(sites, site, seed.dimension),
                   [](const Part& a, const Part& b) { return a.extra < b.extra; });
  }
  if (cut.extra > 0) parts.size = cut.count;
  for (const ScaleSeed& seed : seeds) {
    const std::int64_t size = sites.all[site_of(seed)].tensor->shape[seed.dimension];
    const bool is_cut = cut.extra > 0 && size == cut.count + cut.extra;
    parts.each.push_back({site_of(seed), {seed.dimension, is_cut ? cut : Part{1, size}}});
  }
  return parts;
}

// Whether the steps of a recording were scaled alike: data that was there before a step may have been overlooked, and
// half a job scaled is none.

/// `has_changed` is by the number of the call. An Error names the first step of which much less was scaled than of
/// another.
Status check_steps_alike(const RankSource& source, const ChosenCalls& chosen,
                         const std::vector<std::uint8_t>& has_changed);

namespace {

struct StepCount {
  std::uint64_t calls = 0, changed = 0;
};

}  // namespace

Status check_steps_alike(const RankSource& source, const ChosenCalls& chosen,
                         const std::vector<std::uint8_t>& has_changed) {
  const std::vector<std::uint32_t> step_of_visit = steps_of_visits(source);
  std::map<std::uint32_t, StepCount> counts;
  for (std::uint32_t i = 0; i < chosen.calls.size(); ++i) {
    StepCount& count = counts[step_of_visit[source.order.begin[chosen.rows[i]]]];
    ++count.calls;
    count.changed += has_changed[i];
  }
  std::uint64_t most = 0;
  for (const auto& [step, count] : counts) most = std::max(most, count.changed);
  for (const auto& [step, count] : counts) {
    // What lies before the first step is no step.
    if (step == 0 && counts.size() > 1) continue;
    if (count.changed * 2 < most && count.calls * 2 >= most)
      return Error{fmt::format("step {} of the recording has {}, of which {} would be scaled, where others have {}: "
                               "its data was not found",
                               step, report::counted(count.calls, "operation"), count.changed, most),
                   source.host->path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
  }
  return {};
}

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
  if (const Status known = check_rows_between(host, schemas, arguments, chosen, lifetimes, sites, memory, refusals);
      !known)
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

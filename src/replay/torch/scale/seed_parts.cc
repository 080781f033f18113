#include "replay/torch/scale/seed_parts.h"

#include <algorithm>

#include "replay/torch/scale/scaled_memory.h"

namespace orrery::replay::torch {
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
  const bool is_likely =
      slice > 0 && size - slice <= slice / 8 && can_all_follow(sites, at.lifetime, {axis.stride_bytes, slice, size - slice});
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
    cut = std::max(cut, sequence_of(sites, site, seed.dimension), [](const Part& a, const Part& b) { return a.extra < b.extra; });
  }
  if (cut.extra > 0) parts.size = cut.count;
  for (const ScaleSeed& seed : seeds) {
    const std::int64_t size = sites.all[site_of(seed)].tensor->shape[seed.dimension];
    const bool is_cut = cut.extra > 0 && size == cut.count + cut.extra;
    parts.each.push_back({site_of(seed), {seed.dimension, is_cut ? cut : Part{1, size}}});
  }
  return parts;
}

}  // namespace orrery::replay::torch

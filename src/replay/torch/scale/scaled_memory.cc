#include "replay/torch/scale/scaled_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace orrery::replay::torch {

bool can_all_follow(const TensorSites& sites, std::uint32_t lifetime, const Axis& axis) {
  for (const std::uint32_t user : sites.users_of[lifetime]) {
    for (const TensorSite& site : sites.of(sites.users[user])) {
      if (site.lifetime == lifetime && !can_follow(*site.tensor, axis)) return false;
    }
  }
  return true;
}

bool ScaledMemory::is_scaled(const TensorUser& user) const {
  for (std::uint32_t site = user.first; site < user.first + user.count; ++site) {
    for (std::uint32_t d = 0; d < sites_.all[site].tensor->shape.size(); ++d) {
      if (!parts_at(site, d).empty()) return true;
    }
  }
  return false;
}

ScaledParts ScaledMemory::parts_at(std::uint32_t site, std::uint32_t dimension) const {
  ScaledParts parts;
  const TensorSite& at = sites_.all[site];
  if (at.lifetime != kNoLifetime) {
    for (const Axis& axis : axes_[at.lifetime]) {
      const auto part = part_of_axis(*at.tensor, axis);
      if (part && part->dimension == dimension) parts.insert(part->part);
    }
  }
  if (const auto found = expanded_.find({site, dimension}); found != expanded_.end())
    parts.insert(found->second.begin(), found->second.end());
  return parts;
}

Result<ScaledMemory::Seen> ScaledMemory::require(std::uint32_t site, const DimensionPart& wanted) {
  const TensorSite& at = sites_.all[site];
  const std::uint32_t row = sites_.users[at.user].row;
  const auto dimension = static_cast<std::uint32_t>(wanted.dimension);
  // Scaled already, by whoever asked before.
  if (parts_at(site, dimension).contains(wanted.part)) return Seen::by_nobody;
  if (at.lifetime == kNoLifetime) return refusals_.cannot_follow(row, "a tensor without elements has no size to scale");
  // A dimension that is expanded takes no memory: it grows for this tensor alone.
  if (at.tensor->stride[dimension] == 0) {
    expanded_[{site, dimension}].insert(wanted.part);
    return Seen::by_its_user;
  }
  for (const Axis& axis : axes_of_part(*at.tensor, wanted, sites_.bytes[at.lifetime])) {
    const auto part = part_of_axis(*at.tensor, axis);
    if (!part || part->dimension != dimension || part->part != wanted.part || !fits(at.lifetime, axis)) continue;
    add_axis(at.lifetime, axis);
    return Seen::by_all_on_the_memory;
  }
  return refusals_.cannot_follow(
      row, fmt::format("the memory of its tensor of shape [{}] is also seen in ways that do not go with it",
                       fmt::join(at.tensor->shape, ", ")));
}

// Whether all that lies on the memory can follow, and what is scaled of it already stays apart.
bool ScaledMemory::fits(std::uint32_t lifetime, const Axis& axis) const {
  const auto end_of = [](const Axis& of) { return of.stride_bytes * (of.count + of.extra); };
  // Two axes whose elements interleave cannot both grow.
  for (const Axis& other : axes_[lifetime]) {
    if (axis.stride_bytes < end_of(other) && other.stride_bytes < end_of(axis)) return false;
  }
  return can_all_follow(sites_, lifetime, axis);
}

// Outer axes first: they are scaled in this order, and strides of inner ones do not depend on outer ones.
void ScaledMemory::add_axis(std::uint32_t lifetime, const Axis& axis) {
  std::vector<Axis>& axes = axes_[lifetime];
  const auto place = std::upper_bound(axes.begin(), axes.end(), axis,
                                      [](const Axis& a, const Axis& b) { return a.stride_bytes > b.stride_bytes; });
  axes.insert(place, axis);
}

bool ScaledMemory::scale_tensor(std::uint32_t site, const Factor& factor) const {
  RecordedTensor& tensor = *sites_.all[site].tensor;
  for (std::uint32_t d = 0; d < tensor.shape.size(); ++d) {
    const auto found = expanded_.find({site, d});
    if (found == expanded_.end()) continue;
    for (const Part& part : found->second) {
      const auto grown = scaled_size(tensor.shape[d], part, factor);
      if (!grown) return false;
      tensor.shape[d] = *grown;
    }
  }
  if (sites_.all[site].lifetime == kNoLifetime) return true;
  const std::vector<Axis>& axes = axes_[sites_.all[site].lifetime];
  return std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) { return scale_axis(tensor, axis, factor); });
}

}  // namespace orrery::replay::torch

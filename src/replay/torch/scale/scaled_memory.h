// What is scaled of each memory, and by it of every tensor that lies there.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "replay/torch/build/tensor_sites.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/scale/scaled_view.h"

namespace orrery::replay::torch {

/// Of one dimension.
using ScaledParts = std::set<Part>;

/// Whether every tensor on the memory can follow the axis.
bool can_all_follow(const TensorSites& sites, std::uint32_t lifetime, const Axis& axis);

/// A memory has axes that are scaled, none of which overlap. Dimensions that a tensor is expanded to (a stride of 0)
/// are no axis of any memory, and are kept by tensor. Sites are numbers into TensorSites::all. Refers to what it is
/// made of.
class ScaledMemory {
 public:
  ScaledMemory(const TensorSites& sites, const ScaleRefusals& refusals)
      : sites_(sites), refusals_(refusals), axes_(sites.users_of.size()) {}

  [[nodiscard]] bool is_scaled(std::uint32_t lifetime) const { return !axes_[lifetime].empty(); }
  [[nodiscard]] std::size_t axes_count(std::uint32_t lifetime) const { return axes_[lifetime].size(); }
  /// Whether anything of its tensors is.
  [[nodiscard]] bool is_scaled(const TensorUser& user) const;
  [[nodiscard]] ScaledParts parts_at(std::uint32_t site, std::uint32_t dimension) const;

  /// Who sees what a requirement changed.
  enum class Seen : std::uint8_t { by_nobody, by_its_user, by_all_on_the_memory };
  /// The dimension has this part from now on, and so has all that lies on the same memory. An Error if that cannot be.
  Result<Seen> require(std::uint32_t site, const DimensionPart& wanted);

  /// Gives the tensor its shape, stride and offset. False if a size is no whole number then, or too large.
  [[nodiscard]] bool scale_tensor(std::uint32_t site, const Factor& factor) const;

 private:
  [[nodiscard]] bool fits(std::uint32_t lifetime, const Axis& axis) const;
  void add_axis(std::uint32_t lifetime, const Axis& axis);

  const TensorSites& sites_;
  const ScaleRefusals& refusals_;
  std::vector<std::vector<Axis>> axes_;                                      // per lifetime, outer ones first
  std::map<std::pair<std::uint32_t, std::uint32_t>, ScaledParts> expanded_;  // by site and dimension
};

}  // namespace orrery::replay::torch

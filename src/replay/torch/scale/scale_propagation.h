// A scaled dimension followed from call to call: what a call does with one dimension of its tensors it does with those
// that are the same one (dimension_rules.h), and whoever uses the memory of these follows in turn.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/result.h"
#include "replay/torch/build/counted_indices.h"
#include "replay/torch/scale/dimension_rules.h"
#include "replay/torch/scale/scaled_memory.h"

namespace orrery::replay::torch {

/// Changes `memory` only; tensors stay as they were recorded. Refers to what it is made of.
class ScalePropagation {
 public:
  ScalePropagation(const trace::HostTrace& host, const TensorSites& sites, const CountedIndices& counted,
                   const ScaleRefusals& refusals, ScaledMemory& memory)
      : host_(host),
        sites_(sites),
        counted_(counted),
        refusals_(refusals),
        memory_(memory),
        progress_(sites.users.size()) {}

  /// Scales part of a dimension, and lets those who see it wait for run().
  Status require(std::uint32_t site, const DimensionPart& wanted);
  /// First come, first served, until nothing more has to change. An Error names the first call or collective that
  /// cannot follow.
  Status run();

 private:
  struct Progress {
    bool is_waiting = false;
    bool has_groups = false;  // they were looked for: most calls see nothing that is scaled
    std::optional<std::vector<DimensionGroup>> groups;
  };

  void wait(std::uint32_t user);
  Status follow(std::uint32_t user);
  Status follow_group(const TensorUser& user, const DimensionGroup& group);
  Status follow_joined(const TensorUser& user, const DimensionGroup& group);
  Result<ScaledParts> parts_of_joined(const TensorUser& user, const DimensionGroup& group) const;
  Status check_ungrouped(const TensorUser& user, const std::vector<DimensionGroup>& groups) const;

  [[nodiscard]] ScaledParts parts_of(const TensorUser& user, const DimensionRef& member) const {
    return memory_.parts_at(user.first + member.tensor, member.dimension);
  }
  [[nodiscard]] std::int64_t size_of(const TensorUser& user, const DimensionRef& member) const {
    return sites_.all[user.first + member.tensor].tensor->shape[member.dimension];
  }

  const trace::HostTrace& host_;
  const TensorSites& sites_;
  const CountedIndices& counted_;
  const ScaleRefusals& refusals_;
  ScaledMemory& memory_;
  std::vector<Progress> progress_;  // per user
  std::deque<std::uint32_t> waiting_;
};

}  // namespace orrery::replay::torch

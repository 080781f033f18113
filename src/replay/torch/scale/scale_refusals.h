// What is said where a recording cannot have another size. Nothing is written then.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// Refers to what it is made of.
class ScaleRefusals {
 public:
  ScaleRefusals(const ScaleRequest& request, const RankSource& source) : request_(request), source_(source) {}

  /// "aten::foo (node 17) cannot follow where batch is scaled by 2: it sorts"
  [[nodiscard]] Error cannot_follow(std::uint32_t row, const std::string& why) const;
  /// There is no such dimension.
  [[nodiscard]] Error nothing_selected() const;
  [[nodiscard]] Error no_whole_number(std::int64_t size) const;

 private:
  const ScaleRequest& request_;
  const RankSource& source_;
};

}  // namespace orrery::replay::torch

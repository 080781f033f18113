// A step with edits against the step as it was.
#pragma once

#include "analyze/edit_language.h"
#include "analyze/step_path.h"

namespace orrery::analyze {

/// How much more (or less) of the path a contributor takes after the edits.
struct Move {
  link::EdgeKind kind{};
  StringId name = 0;
  TimePs before = 0;
  TimePs after = 0;
};

struct WhatIf {
  StepPath before;
  StepPath after;
  std::vector<std::uint64_t> matched;  ///< per rule: edges it selected
  std::vector<Move> moves;             ///< the largest changes first

  [[nodiscard]] double speedup() const {
    return static_cast<double>(before.length()) / static_cast<double>(std::max<TimePs>(after.length(), 1));
  }
};

WhatIf what_if(const link::StepGraph& step, const std::vector<EditRule>& rules, std::size_t top);

/// How much longer (or shorter) `after` is, in percent of `before`; 0 of nothing.
double change_percent(TimePs before, TimePs after);

struct SweepPoint {
  double factor = 1;
  StepPath path;
};

/// The rules with the factor of every scaling rule replaced, for each of the factors.
std::vector<SweepPoint> sweep(const link::StepGraph& step, const std::vector<EditRule>& rules, const std::vector<double>& factors);

}  // namespace orrery::analyze

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

/// Those that changed, the largest changes first, equal ones in the order given; at most `top`.
std::vector<Move> largest_moves(std::vector<Move> moves, std::size_t top);

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

/// What a sweep says of one factor.
struct SweepRow {
  double factor = 1;
  TimePs length = 0;
  std::string verdict;
};

/// The rules with the factor of every scaling rule replaced, for each of the factors.
std::vector<SweepPoint> sweep(const link::StepGraph& step, const std::vector<EditRule>& rules, const std::vector<double>& factors);

}  // namespace orrery::analyze

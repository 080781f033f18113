// Which steps the edges of one rank's graph belong to, for edits that are limited to some.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/edit_language.h"
#include "link/step_graph.h"

namespace orrery::analyze {

/// A step that was recorded, in whole or in part, in the window.
struct StepRange {
  std::int64_t number = 0;    ///< that its name ends in
  TimePs begin = 0, end = 0;  ///< since the window's begin
};

/// Annotations that are called like the window but for the number ("ProfilerStep#", "train "), in their order; of a whole trace the profiler's steps.
std::vector<StepRange> ranges_of_steps(const link::StepGraph& step);

/// What a set names of which nothing is there: "rank 7", "steps 5 to 9". Of a range some may be absent: it is meant as those there are.
std::vector<std::string> absent_numbers(const NumberSet& wanted, std::span<const std::int64_t> present, std::string_view what);

/// The moment by which an edge belongs to a step. Whatever thread does it, that in which it was launched or, without an event, in which it begins.
TimePs belongs_at(const link::StepGraph& step, graph::Slot slot);

}  // namespace orrery::analyze

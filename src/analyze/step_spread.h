// How much the steps of a recording differ from one another, and what bounds the long ones.
//
// One step stands for all of them in most answers. A loader that serves every other step late makes steps of 3 and of 21 ms: whichever of the two is
// shown, the other half of the time has another reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "link/step_window.h"

namespace orrery::analyze {

struct StepSpread {
  std::size_t steps =
      0;  ///< those that a typical one is chosen from: without the first and the last, which carry the profiler's start and stop
  TimePs mean = 0, deviation = 0;  ///< standard deviation of the steps recorded, no estimate for others
  TimePs least = 0, most = 0;
  TimePs tenth = 0, ninetieth = 0;  ///< a tenth of the steps is at most, and at least, as long; of few the shortest and the longest

  std::string long_label;  ///< of the steps that are longer than the mean, the one in the middle; only if they differ
  TimePs long_span = 0;
  std::string long_verdict;  ///< what its path says in one phrase

  /// Apart from a tenth on either side they differ by more than a fifth of the mean.
  [[nodiscard]] bool differ() const { return ninetieth - tenth > mean / 5; }
};

/// None if the rank has fewer than two such steps, or steps that overlap. O(works log works), and where they differ the path of one step more.
std::optional<StepSpread> find_step_spread(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::analyze

// How much the steps of a recording differ from one another, and what bounds the long ones: of one rank, or of a job,
// whose steps are those that its ranks have in common.
//
// One step stands for all of them in most answers. A loader that serves every other step late makes steps of 3 and of
// 21 ms: whichever of the two is shown, the other half of the time has another reason.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "causal/causal_graph.h"
#include "causal/step_window.h"

namespace orrery::analyze {

struct StepSpread {
  std::size_t steps = 0;  ///< those that a typical one is chosen from: without the first and the last, which carry the
                          ///< profiler's start and stop
  TimePs mean = 0, deviation = 0;  ///< standard deviation of the steps recorded, no estimate for others
  TimePs least = 0, most = 0;
  TimePs tenth = 0,
         ninetieth =
             0;  ///< a tenth of the steps is at most, and at least, as long; of few the shortest and the longest

  std::optional<std::size_t>
      long_step;           ///< which of all spans is the middle one of those longer than the mean; only if they differ
  std::string long_label;  ///< of that step; empty as long as nobody looked at it
  TimePs long_span = 0;
  std::string long_verdict;  ///< what its path says in one phrase

  /// Apart from a tenth on either side they differ by more than a fifth of the mean.
  [[nodiscard]] bool differ() const { return ninetieth - tenth > mean / 5; }
};

/// Of steps that take these times, in the order in which they were recorded. None if fewer than two are left without
/// the first and the last; the long one is found, and not yet described.
std::optional<StepSpread> spread_of(std::span<const TimePs> spans);

/// What bounds the long step of a job: `step` is its graph.
void describe_long_step(const causal::CausalGraph& step, StepSpread& spread);

/// "Steps differ: ...", a sentence; nothing where they are alike.
std::string steps_differ(const std::optional<StepSpread>& spread);

/// Of one rank, described. None if the rank has fewer than two such steps, or steps that overlap. O(works log works),
/// and where they differ the path of one step more.
std::optional<StepSpread> find_step_spread(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::analyze

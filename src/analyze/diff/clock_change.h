// How much of a change between two runs the clocks of their devices explain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/diff/run_diff.h"
#include "causal/device/device_timeline.h"
#include "causal/step_window.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// Of the work that belongs to the windows; as Trace::ranks. A sample holds until the next. None: no counter says.
std::optional<DeviceClock> device_clock(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines,
                                        std::span<const causal::StepWindow> windows);

struct ClockChange {
  double a_mhz = 0, b_mhz = 0;
  TimePs explained = 0;  ///< of RunDiff::change
  double explained_pct = 0;
  std::vector<std::string> reasons;  ///< of B: "software power cap"

  [[nodiscard]] bool explains_most() const { return explained_pct > 50; }
};

/// Kernels take as much longer as the clock is slower: of each class what that explains of its change, by what it adds to
/// the step. Clocks that are within 2 % explain nothing.
ClockChange clock_change(const RunDiff& diff, const DeviceClock& a, const DeviceClock& b);

}  // namespace orrery::analyze

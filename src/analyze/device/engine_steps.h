// What each step of a recording did: phase, batch and tokens as its name says, and what the devices made of it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyze/device/step_sources.h"
#include "report/sheet.h"

namespace orrery::analyze {

struct MeasuredStep {
  std::size_t place = 0;  ///< counted from 0 in the recording, whatever the window
  std::string_view name;  ///< in the trace's texts; empty: it has none
  std::optional<causal::StepName> says;
  TimePs start = 0;
  std::optional<TimePs> host;               ///< how long its range on the host lasts
  TimePs wall = 0;                          ///< to the begin of the next step, of the last one to the end of its works
  std::vector<std::uint32_t> work_numbers;  ///< launched by calls that begin in its range, on any thread
  std::size_t graph_launches = 0;
  TimePs busy = 0;  ///< the union of its works, whenever they ran
  TimePs idle = 0;  ///< time of `wall` in which no work of the rank ran, of whatever step or from before the recording
};

struct RankSteps {
  const DeviceRank* devices = nullptr;
  StepSource source = StepSource::engine;
  std::vector<MeasuredStep> steps;  ///< those that begin in the window, in their order
};

RankSteps measure_steps(const DeviceRank& devices);
/// Of all ranks, side by side.
std::vector<RankSteps> measure_steps(const std::vector<DeviceRank>& ranks);

/// One row per rank and step.
report::Sheet steps_sheet(const std::vector<RankSteps>& ranks);
/// One row per rank, phase and number of requests, the most steps first.
report::Sheet phases_sheet(const std::vector<RankSteps>& ranks);

}  // namespace orrery::analyze

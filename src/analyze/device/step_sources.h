// Which stretches of a recording are steps, by the best that there is to tell them by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/device/device_rank.h"
#include "causal/step_name.h"

namespace orrery::analyze {

/// In order of preference.
enum class StepSource : std::uint8_t {
  engine,      ///< names that say what a step did (causal/step_name.h)
  profiler,    ///< ProfilerStep#N, or what its recorder numbered
  annotation,  ///< one annotation that comes again and again and covers most launches
  graph,       ///< launches of graphs, or the shortest sequence of them that comes again
  sequence,    ///< of the device alone: the shortest sequence of work that comes again
};
const char* identifier(StepSource source);  ///< "engine"

struct StepRange {
  TimePs begin = 0;              ///< on the host; of `sequence`, the start of its first work
  TimePs end = 0;                ///< the same; of `sequence`, the begin of the next or the end of all work
  std::optional<StringId> name;  ///< of the annotation, or of the call that launches the graph
  std::uint32_t first_work = 0;  ///< of `sequence`: place in DeviceTimeline::works
};

struct FoundSteps {
  StepSource source = StepSource::engine;
  std::vector<StepRange> ranges;  ///< by begin; empty: nothing tells steps
  std::size_t works_each = 0;     ///< of `sequence`
};

/// Of the whole recording, whatever the window. O(events + works log works).
FoundSteps find_step_ranges(const DeviceRank& devices);

/// The shortest p with sequence[i] == sequence[i + p] for all i; all of it where nothing comes again, 0 of nothing.
/// O(n) by the prefix function (Knuth, Morris and Pratt 1977): n less the longest border.
std::size_t shortest_period(std::span<const std::uint32_t> sequence);

}  // namespace orrery::analyze

// Does the host keep the devices fed, as Sheets.
#pragma once

#include <vector>

#include "analyze/device/device_rank.h"
#include "analyze/device/operator_delays.h"
#include "analyze/device/queue_lengths.h"
#include "analyze/distribution.h"
#include "report/sheet.h"

namespace orrery::analyze {

// Does the host keep the devices fed: what launching costs, and how long work takes from being asked for to its start.

struct LaunchRequest {
  bool with_memory = true;  ///< copies and sets too
  TimePs runtime_cutoff = 50 * kPsPerUs;
  TimePs delay_cutoff = 100 * kPsPerUs;
};

/// Calls of one name: cudaLaunchKernel, hipGraphLaunch, ...
struct LaunchCall {
  StringId name = 0;
  std::size_t works = 0;
  Distribution host;   ///< how long the calls took
  Distribution delay;  ///< of each of their works: from entering the call to the start; negative where clocks disagree
};

struct RankLaunches {
  const DeviceRank* devices = nullptr;
  Distribution host;                   ///< of calls that launched something: each once, whatever it launched
  Distribution work;                   ///< of launched work
  Distribution delay;                  ///< of launched work, signed
  std::size_t graph_calls = 0;         ///< calls that launched more than one piece of work
  std::size_t works_without_call = 0;  ///< whose launch was not recorded
  std::size_t calls_without_work = 0;  ///< launch calls whose work was not recorded
  std::size_t short_kernels = 0;       ///< work that takes less time than its call, of calls up to the cutoff
  std::size_t runtime_outliers = 0;    ///< calls above the cutoff
  std::size_t delay_outliers = 0;      ///< works above the cutoff
  std::vector<LaunchCall> calls;       ///< by time on the host, the largest first, then by name
};

/// Work of the window and the calls that launched it, of every runtime and driver: whatever shares a correlation. A
/// launch that was made up for a program without calls of the host (trace::kMadeUpCallPs) is none: such work has no
/// call.
std::vector<RankLaunches> measure_launches(const std::vector<DeviceRank>& ranks, const LaunchRequest& request);

/// One row per rank and measure: cpu (calls that launched something), gpu (their work), delay (from entering the call
/// to the start).
report::Sheet launches_sheet(const std::vector<RankLaunches>& launches);
/// One row per rank.
report::Sheet launch_counts_sheet(const std::vector<RankLaunches>& launches);
/// One row per rank and name of a call.
report::Sheet launch_calls_sheet(const std::vector<RankLaunches>& launches);
/// One row per rank, stream (null: the whole device) and `until` (end or start).
report::Sheet queue_sheet(const std::vector<RankQueues>& ranks);
/// One row per rank and stream on which a call was entered while the limit waited.
report::Sheet full_queue_sheet(const std::vector<RankQueues>& ranks);

/// operators: one row per rank, operator and the kernels that one occurrence launches. Programs that take lists get the
/// names as one, people and tables joined by " -> ": `with_kernels`.
report::Sheet operators_sheet(const std::vector<RankOperators>& ranks, bool with_kernels);

/// nested_operators: one row per rank and operator inside the same operators; each before those inside it, one deeper.
report::Sheet nested_operators_sheet(const std::vector<RankOperatorTree>& ranks);

}  // namespace orrery::analyze

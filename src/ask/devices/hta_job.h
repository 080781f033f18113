// The answers of Holistic Trace Analysis about whole jobs: breakdown, kernels, launches, memory, blame and diff with
// compat hta.
//
// Each reads the files as HTA does and answers in its tables. What HTA cannot answer is null, with the reason under
// "unavailable", and no failure. Only diff fails without a usable step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/hta/launch_stats.h"
#include "analyze/hta/totals.h"
#include "analyze/hta/trace_diff.h"
#include "ask/recording.h"

namespace orrery::ask {

/// Whose rows HTA takes.
struct HtaSteps {
  RecordingRequest recording = {};
  bool include_last_step = false;  ///< the profiler's last step, too, which may be cut
};

/// What becomes "others" in HTA's tables unless it is asked for otherwise.
inline constexpr double kHtaDurationRatio = 0.8;

struct HtaKernels {
  analyze::hta::TotalsLimit limit = {};
  bool with_memory = true;                    ///< copies and sets as well
  std::optional<std::string> sequences = {};  ///< also those below operators whose name contains it
  std::size_t min_length = 3;                 ///< of sequences
  bool counters = false;                      ///< also hardware counters
};

/// Gaps below `kernel_delay_us` lie between kernels.
Result<report::Answer> breakdown_as_hta(const HtaSteps& steps, const analyze::hta::TotalsLimit& limit,
                                        double kernel_delay_us, Context& context);
Result<report::Answer> kernels_as_hta(const HtaSteps& steps, const HtaKernels& wanted, Context& context);
Result<report::Answer> launches_as_hta(const HtaSteps& steps, const analyze::hta::LaunchOptions& options,
                                       std::int64_t queue_limit, Context& context);
Result<report::Answer> memory_as_hta(const HtaSteps& steps, Context& context);
/// `only`: the steps that are looked at; none: all of them.
Result<report::Answer> blame_as_hta(const HtaSteps& steps, std::size_t candidates,
                                    const std::vector<std::int64_t>& only, Context& context);
Result<report::Answer> diff_as_hta(const RecordingRequest& control, const RecordingRequest& test,
                                   const analyze::hta::DiffOptions& options, Context& context);

}  // namespace orrery::ask

// One side of a comparison: from what names a run to its steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyze/diff/run_diff.h"
#include "ask/graphs/causal_source.h"
#include "base/result.h"
#include "job/recorded_job.h"

namespace orrery::ask {

/// What device work is compared by.
enum class CompareBy : std::uint8_t { operators, kernels };

/// The steps of a run that are compared: the spans of those that all ranks have (without the first and the last if
/// there are more than two; those of `window` as asked for), the time of each class in each of them, and the graph and
/// the device work of the median one. A recording without steps is one step. `name`: what the run is called in errors.
/// By operators, `job` was read with operands.
Result<analyze::ComparedRun> compared_run(Context& context, const job::RecordedJob& job, const std::string& name,
                                          const WindowChoice& window, CompareBy by, analyze::PieceClasses& classes);

/// Two runs that are read, and what they are called.
struct TwoRuns {
  job::RecordedJob a, b;
  std::string name_of_a, name_of_b;
};
/// A folder of two runs (trace/names/rank_numbers.h), in the order of their names; an Error if `operand` is something
/// else.
Result<TwoRuns> load_two_runs(Context& context, const std::string& operand, RecordingRequest recording, CompareBy by);

/// Steps are compared with steps, and whole traces with whole traces: an Error if one of the runs has steps and the
/// other has none.
Status check_alike(const analyze::ComparedRun& a, const analyze::ComparedRun& b, const std::string& name_of_a,
                   const std::string& name_of_b);

}  // namespace orrery::ask

// One side of a comparison: from an operand to the steps of a run.
#pragma once

#include <string>

#include "analyze/diff/run_diff.h"
#include "base/result.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"
#include "job/recorded_job.h"

namespace orrery::cli {

/// Reads the run that `operand` names, all its ranks or that of --rank: the spans of the steps in common (without the
/// first and the last if there are more than two; those of --instance as asked for), the time of each class in each of
/// them, and the graph of the median one. A recording without steps is one step.
Result<analyze::ComparedRun> load_compared_run(Invocation& invocation, const std::string& operand,
                                               const Instances& instances, analyze::PieceClasses& classes);

/// The same of a job that was read. `name`: what it is called in errors.
Result<analyze::ComparedRun> compared_run(Invocation& invocation, const job::RecordedJob& job, const std::string& name,
                                          const Instances& instances, analyze::PieceClasses& classes);

/// A folder of two runs (trace/rank_numbers.h), in the order of their names.
struct TwoRuns {
  job::RecordedJob a, b;
  std::string name_of_a, name_of_b;
};
/// An Error if `operand` is something else.
Result<TwoRuns> load_two_runs(Invocation& invocation, const std::string& operand);

/// Steps are compared with steps, and whole traces with whole traces: an Error if one of the runs has steps and the
/// other has none.
Status check_alike(const analyze::ComparedRun& a, const analyze::ComparedRun& b, const std::string& name_of_a,
                   const std::string& name_of_b);

}  // namespace orrery::cli

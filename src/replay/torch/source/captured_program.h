// What a recording of captures, or of an eager run, says was called: rows of its host trace, or where there is none,
// rows made of its profiler trace.
#pragma once

#include <memory>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "replay/torch/source/row_order.h"
#include "trace/host_arguments.h"
#include "trace/host_trace.h"
#include "trace/trace.h"

namespace orrery::replay::torch {

/// Recordings as analyze::join_captures takes them, each with the host traces of its ranks: those without rows are not
/// there.
struct Captures {
  std::vector<trace::Trace> traces;
  std::vector<std::vector<trace::HostTrace>> hosts;  ///< texts are in the traces' tables
};

struct CapturedProgram {
  std::shared_ptr<const trace::HostTrace> host;  ///< texts are those of the job
  RowOrder order;
  trace::HostArguments arguments;
  /// Storages are not known: tensors of a launch that look alike, the first with the first of another launch and so on,
  /// are taken for the same.
  bool is_profiled = false;
  Column<std::uint32_t> row_of_call;  ///< per event that is no operator: the row of the innermost around it; kNoRow
};

/// Per recording and rank; takes the host traces out of `captures`. Texts of rows go to `strings`. An Error: a host
/// trace that is of another run than its profiler trace, or of a version that has its arguments elsewhere (1.0.1).
Result<std::vector<std::vector<CapturedProgram>>> programs_of_captures(Captures& captures, Interner& strings);

}  // namespace orrery::replay::torch

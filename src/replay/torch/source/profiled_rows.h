// Rows of a host trace from a profiler trace alone: its operators with the shapes, types, values and strides that the
// profiler wrote down.
#pragma once

#include <memory>

#include "base/column.h"
#include "base/interner.h"
#include "replay/torch/source/row_order.h"
#include "trace/host_trace.h"
#include "trace/trace.h"

namespace orrery::replay::torch {

struct ProfiledRows {
  std::shared_ptr<const trace::HostTrace> host;  ///< by begin
  RowOrder order;
  Column<std::uint32_t> row_of_event;  ///< per event; causal::kNoRow
};

/// What the profiler does not say is filled in: the schema of an operator has the recorded arguments in order and no
/// overload (kUnknownOverload), a name that ends in "_" writes its first argument, tensors lie at the begin of a
/// storage of their own, and nothing is returned. Tensors are on the device, but for numbers that PyTorch wrapped into
/// tensors: those without dimensions of the types that Python's numbers have. Lists of tensors come without types, and
/// of some operators as nothing at all: these cannot be called. `rank` needs formats::TraceOptions::operands; texts go
/// to `strings`. O(operators log operators).
ProfiledRows rows_of_profiler(const trace::Trace& trace, const trace::RankTrace& rank, Interner& strings);

}  // namespace orrery::replay::torch

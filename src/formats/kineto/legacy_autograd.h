// Traces of PyTorch's profiler before Kineto, and of torch.autograd.profiler without it: a bare list of events that
// have no categories, in processes that are called "CPU functions" and "CUDA functions".
//
//     [{"name": "aten::mm", "ph": "X", "ts": 10.5, "dur": 3.2, "tid": 1, "pid": "CPU functions", "args": {}},
//      {"name": "volta_sgemm", "ph": "X", "ts": 12.0, "dur": 2.0, "tid": 0, "pid": "CUDA functions", "args": {}}]
#pragma once

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::kineto {

/// Gives the events of such a trace the categories that Kineto writes: cpu_op, kernel, and user_annotation for the
/// profiler's steps. Other ranges that the program marked stay operators, since nothing tells them apart. Other traces
/// stay as they are. True: it is one.
bool take_legacy_categories(trace::RankTrace& rank, Interner& strings);

}  // namespace orrery::kineto

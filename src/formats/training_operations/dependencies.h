// What the operations of a table depend on, as columns of its trace.
#pragma once

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace orrery::training_operations {

/// Adds to the trace of a table what match::make_operation_graph tells of it:
///   - which operations of its own rank each one needs, and when it ran in the job executed from that
///     (match/operations/operation_columns.h);
///   - of those that are exchanged: what (`collective`), in which group, under which number; of messages their peer.
/// A table that is not whole stays as it is, with a remark.
void add_dependencies(trace::Trace& job, Diagnostics& diagnostics);

}  // namespace orrery::training_operations

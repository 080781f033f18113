// Tables of what the workers of a training job did, operation by operation (ByteDance's straggler study, OSDI '25): CSV
// or Parquet. docs/formats/training_operations.md
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::training_operations {

bool is_table(std::string_view head);

/// All workers as ranks. Times of a table count from the begin of their step: steps are laid end to end, in the order
/// of their numbers, each from its earliest start to its latest end.
///   - An event is called as its operation (forward-compute); sequence_number is its number, step its step, and the
///     arguments mc, mb_id and gmc (model chunk of the stage, micro-batch, model chunk of the model) are those of the
///     table.
///   - What computes is on one lane, each kind of message and what data-parallel ranks exchange on lanes of their own.
///   - Properties of a rank: dp_rank and stage.
///   - What depends on what, and who exchanges what with whom: see dependencies.h.
Result<trace::Trace> parse_table(std::string_view bytes, const std::string& path, Diagnostics& diagnostics);
Result<trace::Trace> read_table(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::training_operations

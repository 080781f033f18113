// What a host trace says of an operator beyond what a Program holds, in the words of Chakra's converter.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interner.h"
#include "formats/chakra/writer.h"
#include "trace/host_trace.h"

namespace orrery::job {

/// Per row: the record-function id of the row that called it; trace::kNoNumber where there is none. O(n log n).
std::vector<std::int64_t> calling_functions(const trace::HostTrace& host);

/// Shapes, types, strides and values of inputs and outputs, rf_id, fw_parent, seq_id, scope, fw_tid and op_schema of a
/// row, as far as given, and, in words of our own, who called it (caller_rf_id): what a replay needs. Thread and stream
/// are written with every node. `callers`: calling_functions.
void add_row_details(const trace::HostTrace& host, std::uint32_t row, const std::vector<std::int64_t>& callers,
                     const Interner& strings, chakra::NodeDetails& details);

}  // namespace orrery::job

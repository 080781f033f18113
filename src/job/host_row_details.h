// What a host trace says of an operator beyond what a Program holds, in the words of Chakra's converter.
#pragma once

#include <cstdint>

#include "base/interner.h"
#include "formats/chakra/writer.h"
#include "trace/host_trace.h"

namespace orrery::job {

/// Shapes, types and values of inputs and outputs, rf_id, fw_parent, seq_id, scope, fw_tid and op_schema of a row, as far as given. Thread and
/// stream are written with every node.
void add_row_details(const trace::HostTrace& host, std::uint32_t row, const Interner& strings, chakra::NodeDetails& details);

}  // namespace orrery::job

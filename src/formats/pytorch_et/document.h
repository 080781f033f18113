// The document around the rows: {"schema": "1.1.1-chakra.0.0.4", "pid": 1306, "time": ..., "start_ts": ..., "nodes": [ ... ], "finish_ts": ...}.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

/// Parses `trace.content`, which is complete and followed by 64 readable bytes, into the rest of `trace`. One pass; members in any order.
Status parse_document(trace::HostTrace& trace, Interner& strings, Diagnostics& diagnostics);

}  // namespace orrery::pytorch_et

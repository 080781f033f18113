// A log of requests as a trace.
#pragma once

#include "base/interner.h"
#include "formats/request_log/request_table.h"
#include "trace/trace.h"

namespace orrery::request_log {

/// An event per request from its arrival to its last token (category "request"), and nested in it queued, prefill and
/// decode (category "request part"); queued only where the log says how long. Requests that overlap are on lanes of
/// their own, as few as it takes. Events are in the order of their arrival, parts behind their request, whose prompt,
/// generate and replica are arguments.
trace::RankTrace trace_requests(const RequestLog& log, Interner& strings);

}  // namespace orrery::request_log

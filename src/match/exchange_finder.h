// Traces -> Exchanges: which events of several ranks are one collective or message.
#pragma once

#include "match/exchange.h"
#include "trace/trace.h"

namespace orrery::match {

/// Two nodes' events are the same collective if kind, name, process group and sequence number (of NCCL, or the run id
/// of XLA) are the same; of several with the same number on a node the n-th belongs to the n-th, if all nodes have as
/// many. What hosts do themselves is numbered by its order in its group (host_work.h), works that only
/// rules know by their order on their stream (ruled_order.h). Those without a number are put
/// together by pattern_pairing.h. Of a node with several devices each takes part. What contradicts itself is set apart
/// as `mispaired`. O(events), but for sorting the messages.
Exchanges find_exchanges(const trace::Trace& trace);

}  // namespace orrery::match

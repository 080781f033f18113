// Sends and the receives they belong to.
#pragma once

#include <vector>

#include "match/exchange.h"
#include "match/node_of_rank.h"
#include "match/recorded_communication.h"
#include "trace/trace.h"

namespace orrery::match {

/// Adds messages to `out`. A channel is a source, a destination, a group and a tag. Its sends and receives belong
/// together by their numbers, where both sides have the same ones over the time that both recorded; else the n-th by
/// the n-th, if there are as many; else they are ambiguous.
void match_messages(const trace::Trace& trace, const std::vector<MessageSide>& sides, Exchanges& out);

/// Adds one message. The two are on different nodes.
void add_message(StringId name, std::int64_t sequence, const Participation& sender, const Participation& receiver,
                 Exchanges& out);

Participation participation(const trace::Trace& trace, std::uint32_t node, trace::EventIndex event);

}  // namespace orrery::match

// Which works of several ranks are one communication where only rules know them (ruled_works.h): by order.
#pragma once

#include "match/recorded_communication.h"
#include "trace/trace.h"

namespace orrery::match {

/// Gives the works of each operation numbers in their order on each stream, streams in the order of what they are, if
/// all nodes that have the operation have as many on as many streams. Others stay without: one that is missing may be
/// any of them, and pairing the rest in order would put all behind it off by one.
void number_ruled_works(const trace::Trace& trace, RecordedCommunication& found);

}  // namespace orrery::match

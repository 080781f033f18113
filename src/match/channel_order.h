// Collectives numbered by their order on what they went through, a communicator or a stream, where all ranks agree.
#pragma once

#include <string>
#include <vector>

#include "trace/trace.h"

namespace orrery::match {

/// What one rank did on a channel. Channels of one name are the same on all ranks that have it.
struct Channel {
  std::string name;
  std::vector<trace::EventIndex> works;  ///< device works with Field::collective_text, in the order of their launches
};

/// Sets Field::collective_sequence of collectives, from 0 on, on channels on which all ranks did as many of the same
/// kinds in the same order. On others one may lack anywhere, and pairing the rest in order would put all behind it off
/// by one: those stay without numbers, for the pattern of their times (unnumbered.h). Messages get none: which ranks
/// send and which receive is no matter of agreement. `channels`: as trace.ranks.
void number_by_order(trace::Trace& trace, const std::vector<std::vector<Channel>>& channels);

}  // namespace orrery::match

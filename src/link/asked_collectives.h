// Collectives that worker threads of the host do, and the calls that asked for them.
#pragma once

#include <vector>

#include "link/content_order.h"
#include "link/host_communication.h"

namespace orrery::link {

/// A collective of the host and the call that asked for it.
struct AskedCollective {
  trace::EventIndex collective;
  trace::EventIndex call;
};

/// c10d hands collectives to worker threads in the order of the calls: of each kind the k-th call asked for the k-th collective. Nothing is
/// said about a kind whose calls and collectives differ in number, or where one begins before its call: other backends share the calls, the
/// recording began in between, or (DistributedDataParallel) the calls are not recorded. By start of the collective, then content.
std::vector<AskedCollective> find_asked_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                                    const HostCommunication& communication, const ContentOrder& content);

}  // namespace orrery::link

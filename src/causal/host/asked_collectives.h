// Collectives that worker threads of the host do, and the calls that asked for them.
#pragma once

#include <vector>

#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::causal {

/// A collective of the host and the call that asked for it.
struct AskedCollective {
  trace::EventIndex collective;
  trace::EventIndex call;
};

/// As far as it is sure (HostWork::call_is_sure): where some calls are not recorded (DistributedDataParallel), belong
/// to another backend, or came before the recording began, nothing is said. By start of the collective, then content.
std::vector<AskedCollective> find_asked_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                                    const trace::ContentOrder& content);

}  // namespace orrery::causal

// Traces -> what their hosts communicated themselves.
#pragma once

#include "match/group_order.h"
#include "match/host_work.h"
#include "trace/trace.h"

namespace orrery::match {

/// O(events + works log works), where any rank has such work; else O(texts).
HostWorks find_host_works(const trace::Trace& trace, const ProcessGroups& groups);

}  // namespace orrery::match

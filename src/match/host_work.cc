#include "match/host_work.h"

#include <algorithm>

namespace orrery::match {

using trace::EventIndex;

const HostWork* HostWorks::find(std::size_t rank, EventIndex event) const {
  if (ranks.empty()) return nullptr;
  const std::vector<HostWork>& works = ranks[rank];
  const auto at =
      std::lower_bound(works.begin(), works.end(), event, [](const HostWork& a, EventIndex b) { return a.event < b; });
  return at != works.end() && at->event == event ? &*at : nullptr;
}

}  // namespace orrery::match

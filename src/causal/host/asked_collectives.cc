#include "causal/host/asked_collectives.h"

#include <algorithm>

#include "match/rank_works.h"

namespace orrery::causal {

std::vector<AskedCollective> find_asked_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                                    const trace::ContentOrder& content) {
  std::vector<AskedCollective> asked;
  for (const match::HostWork& work : match::find_rank_works(trace, rank, match::CommunicationNames(trace.strings))) {
    // A call that may be another's would be a cause that was none.
    if (work.call_is_sure) asked.push_back({work.event, work.call});
  }
  std::stable_sort(asked.begin(), asked.end(), [&](const AskedCollective& a, const AskedCollective& b) {
    return content.before(a.collective, b.collective);
  });
  return asked;
}

}  // namespace orrery::causal

#include "match/host_work_finder.h"

#include "match/group_order.h"
#include "match/rank_works.h"
#include "match/worker_groups.h"

namespace orrery::match {

HostWorks find_host_works(const trace::Trace& trace, const ProcessGroups& groups) {
  HostWorks works;
  const CommunicationNames names(trace.strings);
  if (!names.any_work) return works;
  for (const trace::RankTrace& rank : trace.ranks) works.ranks.push_back(find_rank_works(trace, rank, names));
  find_worker_groups(trace, groups, works);
  number_in_order(trace, groups, works);
  return works;
}

}  // namespace orrery::match

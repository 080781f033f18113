// Collectives of a group by their order: its members do the same in the same order.
#pragma once

#include <cstdint>
#include <vector>

#include "match/host_work.h"
#include "match/process_groups.h"
#include "trace/content_order.h"

namespace orrery::match {

/// In the order in which one rank asked for them.
std::vector<std::uint32_t> order_of_issue(const trace::RankTrace& rank, const trace::ContentOrder& content,
                                          const std::vector<HostWork>& works);

/// What has to be the same on all members: the kind, and the size where everybody puts in as much.
std::uint64_t token_of(const HostWork& work);

/// Sets HostWork::sequence of collectives. Where a recording was cut short at one end, those at the other end still
/// belong together. Groups whose members differ in any other way get no numbers and are counted: for those there is the
/// pattern of their times (unnumbered.h).
void number_in_order(const trace::Trace& trace, const ProcessGroups& groups, HostWorks& works);

}  // namespace orrery::match

// Which process group the worker threads of a host backend serve.
#pragma once

#include "match/host_work.h"
#include "match/process_groups.h"
#include "trace/trace.h"

namespace orrery::match {

/// Sets HostWork::group and counts what had to be inferred. A rank of one group has no choice. Else, of all ways to give the rank's worker
/// threads to its groups, the best one that all members of every group agree with:
///   * Threads are numbered as they are made, and groups make theirs one after another: so both have the same order.
///   * The members of a group do the same collectives in the same order.
///   * The root of a collective is a member.
/// Better is, in this order: no more than two threads to a group, as gloo makes them; threads of a group that take turns, as those that wait
/// for one queue do; groups that were made are used, since that is what they were made for; the world is left out.
/// Where members cannot agree (a recording cut short), each rank's own best. Messages run on the thread that asked and are of the first
/// group. Collectives that did that too, where there are several groups, are counted as unclear.
void find_worker_groups(const trace::Trace& trace, const ProcessGroups& groups, HostWorks& works);

}  // namespace orrery::match

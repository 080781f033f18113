// The engine: executes a Workload on a machine whose network is any NetworkModel.
//
// What an activity needs, and how long it takes:
//
// - none, metadata: nothing, no time.
// - compute: a compute slot of its device, or a host slot if it runs on the host (activity::kOnHost);
//   EngineOptions::compute_time says how long.
// - memory: a memory slot of its device; EngineOptions::memory_bytes_per_second says how long.
// - collective: its place on the stream of its communicator. Operations of one communicator run in program order, those
//   of different communicators may overlap. A rank that is ready for it has arrived: its activity starts, but no data
//   moves and no bandwidth is held before the last participant has arrived. It ends for all at the same moment.
// - send, recv: no slot. A message of at most EngineOptions::eager_limit_bytes is eager: the send ends after
//   eager_overhead_ps, the message leaves then, whether or not it is expected, and the recv ends when it is posted and
//   the message is there. A larger one is a rendezvous: it moves when both sides are ready and ends for both at the
//   same moment.
//
// Who belongs together is for workload/matching.h to say. Where receives are open to several messages, they take them
// in the order in which they are posted and sends are issued; at one moment, sends first, by rank and program order.
//
// Order of events: time is integral. At one moment, first everything that ends is taken (what the network finishes, in
// the order of operations, then slots by rank and activity), and what thereby becomes ready is collected; then slots
// are filled, in ascending order of activities; then operations start, in the order of their numbers. This repeats
// while something takes no time. So the outcome depends on the workload alone, not on the order in which it was put
// together. Priorities and excluded dimensions of collectives are not looked at.
#pragma once

#include "base/result.h"
#include "simulate/engine/options.h"
#include "simulate/network_model.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// Every activity done, or an Error: what does not fit together (both activities named), a deadlock (who waits for
/// whom), what the model refuses, times beyond 26 days, "cancelled". `network` must be fresh: nothing in flight,
/// nothing counted. O(activities log ready + dependencies) and what the network model takes. While it runs: 20 bytes
/// per activity of each executed rank, of which 16 are the result, and 44 per activity and 4 per dependency of each
/// program.
///
/// Ranks that behave alike (engine/rank_classes.h) are executed as one, but every one of their operations is started in
/// the network: which is asked the same, in the same order, as if all were executed. If operations that should end
/// together do not, ranks are not alike after all: the network is restarted and every rank executed. So the result is
/// the same, bit for bit.
Result<Schedule> execute(const workload::Workload& workload, NetworkModel& network, const EngineOptions& options = {});

/// The same for programs that are made as they are executed. A rank that begins a window is given the next; windows are
/// retired when all their activities have ended. So the memory is that of the windows that ranks are in, not of the
/// job. Who belongs together is held against the rules of workload/matching.h as it comes: what contradicts its partner
/// is an Error when they meet, what has none ends in a deadlock. `sink` gets the activities and collectives; the
/// Schedule has the rest: ranks and links.
Result<Schedule> execute(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options,
                         ScheduleSink& sink);

/// With all activities, of a source that says how long its programs are.
Result<Schedule> execute(workload::WorkloadSource& source, NetworkModel& network, const EngineOptions& options = {});

}  // namespace orrery::simulate

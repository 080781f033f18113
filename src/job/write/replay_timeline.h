// A replay as a file for Perfetto: what every thread and stream would have done.
#pragma once

#include <string>

#include "base/result.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::job {

/// One process per rank; its lanes are the recorded threads and streams (workload/lane_names.h). Activities that take
/// time are complete events with their id, and their recorded start if there is one; those of a lane that overlap go to
/// further lanes of the same name. Time 0 is one second after the epoch. Compressed if the name ends in .gz; complete
/// or absent. Unlike export_schedule it asks for no partners.
Status export_replay(const workload::Workload& workload, const simulate::Schedule& schedule, const std::string& path);

}  // namespace orrery::job

// What a recording says about how MPI was called: the names of its functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "workload/workload.h"

namespace orrery::replay {

// Time that a recorded job spent inside calls of MPI, taken out of its programs: a replay makes the calls again, and
// they take what they take.

/// Returns how many activities take no time now that took some, over all ranks.
std::uint64_t drop_call_times(workload::Workload& workload);

/// OrreryReplayCall of the function that an activity was recorded as; 0 (the function that does not block) if its name
/// is none of MPI's.
std::uint8_t recorded_call(std::string_view function, workload::ActivityKind kind);

/// Of a computation with the name of a function: the time was spent inside a call that is made again, or in beginning
/// and ending the job: the replay spends what it takes now.
bool is_time_of_a_call(std::string_view function);

/// MPI_Sendrecv and MPI_Sendrecv_replace: a send and a receive in one call.
bool is_send_and_receive(std::string_view function);

}  // namespace orrery::replay

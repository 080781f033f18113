// On which thread or stream an activity runs, and what that is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "workload/workload.h"

namespace orrery::workload {

/// A thread of the host or a stream of the device, as recorded; where lanes were not recorded, activities by what they
/// occupy.
enum class LaneKind : std::uint8_t { thread, stream, host, compute, memory, communication };
/// The number is that of a thread or stream, else 0.
using LaneKey = std::pair<LaneKind, std::int32_t>;

LaneKey lane_of(const Program& program, std::size_t activity);
/// "thread 3", "stream 7", "communication".
std::string lane_name(LaneKey lane);

/// Sends, receives and collectives.
bool is_communication(ActivityKind kind);

}  // namespace orrery::workload

// Why a replay does not get on, in a sentence.
#pragma once

#include <span>
#include <string>

#include "mpi_plugin/replay_plugin.h"
#include "replay/mpi/replay_plan.h"

namespace orrery::replay {

/// Names the first operation that somebody waits in for a rank that did not reach it: the collective with its
/// communicator and the ranks that are missing, or the message with its other side; and what those wait for themselves.
/// `plan` null: only the ranks are known.
std::string describe_stall(const ReplayPlan* plan, std::span<const OrreryReplayStall> stalls, double timeout_s);

}  // namespace orrery::replay

// The same messages through SimGrid's s4u.
#pragma once

#include <string>
#include <vector>

#include "judge/judge_patterns.h"

namespace orrery::judge {

/// When each message ends, in seconds; empty if SimGrid failed. `settings` like "network/model:CM02". Runs in a process
/// of its own, since SimGrid simulates one platform per process.
std::vector<double> simgrid_finishes(const Case& what, const std::vector<std::string>& settings);

}  // namespace orrery::judge

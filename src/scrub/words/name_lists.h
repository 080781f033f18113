// Whole names that every trace has: long lists, kept apart from the rules that use them.
#pragma once

#include <string_view>
#include <unordered_set>

namespace orrery::scrub {

using Words = std::unordered_set<std::string_view>;

/// The runtime and driver functions that profilers record. A function missing here is renamed, and keeps what analyses
/// ask of its name.
const Words& runtime_calls();

/// Names that the profiler, the execution trace recorder, the trace format and linking give.
const Words& recorder_names();

}  // namespace orrery::scrub

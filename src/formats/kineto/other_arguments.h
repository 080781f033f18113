// What events say beyond the arguments that became columns: grid and block, shapes, descriptions. They stay in the file
// until somebody asks.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace orrery::kineto {

/// Takes one argument: `key` without escapes, `json` its value as written. Both are valid during the call only.
using ArgumentVisitor = std::function<void(trace::EventIndex event, std::string_view key, std::string_view json)>;

/// Reads the file of the rank again, and visits the arguments of its events that are in no column of it, in the order
/// of the file. A key that an event has twice is visited twice. Ranks of other formats have none.
/// SourceInfo::has_other_arguments says whether it is worth the time.
Status visit_other_arguments(const trace::RankTrace& rank, const ArgumentVisitor& visit);

}  // namespace orrery::kineto

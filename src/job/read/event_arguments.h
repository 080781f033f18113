// Arguments of events that no analysis keeps: found again in the file, by the place of each event in it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json/json_members.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::job {

/// visit(i, members of "args") for each of `wanted`, in the order of the file. Nothing for traces whose files do not
/// have events' text.
Status visit_arguments(const trace::RankTrace& rank, const std::vector<trace::EventIndex>& wanted,
                       const std::function<void(std::size_t, const std::vector<JsonMember>&)>& visit);

/// The members of the "args" of each, names unescaped and values as JSON.
using Arguments = std::map<std::string, std::string>;
Result<std::vector<Arguments>> read_arguments(const trace::RankTrace& rank,
                                              const std::vector<trace::EventIndex>& wanted);

}  // namespace orrery::job

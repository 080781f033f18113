// What changed between the requests of two runs of a serving engine.
#pragma once

#include <string>
#include <vector>

#include "ask/context.h"
#include "base/result.h"
#include "report/answer.h"

namespace orrery::ask {

/// Whether one of the runs is a log of requests. Each is a file, a folder or a glob.
bool names_request_log(const Context& context, const std::vector<std::string>& runs);

/// Of two logs of requests; an Error if one of the runs is something else.
Result<report::Answer> diff_requests(Context& context, const std::vector<std::string>& runs);

}  // namespace orrery::ask

// From a contributor to the edit that selects it and nothing else.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analyze/step_path.h"

namespace orrery::analyze {

/// 'op:"aten::mm"', 'gap:launch', of a job 'rank:3 kernel:"gemm"': what an action may follow. None where no edit selects exactly this: of idle time,
/// which threads and devices share, and of calls that return from waiting, which edits know only as a whole. `ranks`: of a job.
std::optional<std::string> selection_of(const Interner& strings, const Contributor& contributor, std::span<const link::JobRank> ranks);

}  // namespace orrery::analyze

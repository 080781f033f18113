// From a contributor to the edit that selects it and nothing else.
#pragma once

#include <optional>
#include <string>

#include "analyze/path/causal_path.h"

namespace orrery::analyze {

/// 'op:"aten::mm"', 'gap:launch', of several ranks 'rank:3 kernel:"gemm"': what an action may follow. None where no
/// edit selects exactly this: of idle time, which threads and devices share, and of calls that return from waiting,
/// which edits know only as a whole.
std::optional<std::string> selection_of(const causal::CausalGraph& job, const Contributor& contributor);

}  // namespace orrery::analyze

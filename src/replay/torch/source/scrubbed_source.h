// Traces whose operators were taken away by scrub: they run, but nothing in them can be called, which their owner can
// change.
#pragma once

#include <string_view>
#include <vector>

#include "replay/torch/source/rank_source.h"

namespace orrery::replay::torch {

/// "op.gemm.3fa9c2d1e5b60718": a name that scrub made up.
bool is_scrubbed_name(std::string_view name);

/// Whether some rank has names that scrub made up, and no operator that could be called.
bool lacks_scrubbed_operators(const std::vector<RankSource>& sources);

/// What there is to say then.
inline constexpr std::string_view kScrubbedRemark =
    "these traces were scrubbed without their operators: all device work is work of the recorded duration, "
    "communication is real; "
    "scrub --keep-operators leaves in what can be called again";

}  // namespace orrery::replay::torch

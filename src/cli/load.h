// From the operands of a verb to a Trace: what every verb that reads traces does first.
#pragma once

#include "base/result.h"
#include "cli/invocation.h"
#include "trace/trace.h"

namespace orrery::cli {

/// The flags of every verb that reads traces (--salvage), to be placed among the verb's own.
std::vector<Flag> with_input_flags(std::vector<Flag> flags);

/// Expands `operands` to files, reads them with progress on stderr, and records them as inputs. Remarks go to the invocation.
/// `far_clocks`: XSpace files whose clocks are years apart are moved together (RankTrace::era_ns) instead of refused.
Result<trace::Trace> load_job(Invocation& invocation, const std::vector<std::string>& operands, bool far_clocks = false);

/// The rank named by --rank, or the lowest; an Error lists what there is.
Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job);

}  // namespace orrery::cli

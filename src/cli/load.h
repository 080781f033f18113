// From the operands of a verb to a Trace: what every verb that reads traces does first.
#pragma once

#include "base/result.h"
#include "cli/invocation.h"
#include "trace/trace.h"

namespace orrery::cli {

/// The flags of every verb that reads traces (--salvage), to be placed among the verb's own.
std::vector<Flag> with_input_flags(std::vector<Flag> flags);

struct LoadOptions {
  bool positions = true;    ///< where in the file an event is; a verb that does not ask saves memory with formats that can leave it out
  bool far_clocks = false;  ///< XSpace files whose clocks are years apart are moved together (RankTrace::era_ns) instead of refused
};

/// Whether a file is an XSpace, by its name or its first bytes; any other is taken for a Kineto trace.
bool is_xspace(const std::string& path);

/// Expands `operands` to files, reads them with progress on stderr, and records them as inputs. Remarks go to the invocation.
Result<trace::Trace> load_job(Invocation& invocation, const std::vector<std::string>& operands, const LoadOptions& options = {});

/// The rank named by --rank, or the lowest; an Error lists what there is.
Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job);

}  // namespace orrery::cli

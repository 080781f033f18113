// From the operands of a verb to a Trace: what every verb that reads traces does first.
#pragma once

#include "base/result.h"
#include "cli/invocation.h"
#include "trace/trace.h"

namespace orrery::cli {

/// The flags of every verb that reads traces (--salvage), to be placed among the verb's own.
std::vector<Flag> with_input_flags(std::vector<Flag> flags);

struct LoadOptions {
  bool positions =
      true;  ///< false: the verb does not ask where in a file an event is, which saves memory with formats that can leave it out
};

/// Expands `operands` to files, reads them with progress on stderr, and records them as inputs. Remarks go to the invocation.
Result<trace::Trace> load_job(Invocation& invocation, const std::vector<std::string>& operands, const LoadOptions& options = {});

/// The rank named by --rank, or the lowest; an Error lists what there is.
Result<const trace::RankTrace*> choose_rank(const Invocation& invocation, const trace::Trace& job);

}  // namespace orrery::cli

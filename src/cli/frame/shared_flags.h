// Flags that several verbs share.
#pragma once

#include <optional>
#include <vector>

#include "ask/graphs/causal_source.h"
#include "cli/frame/flag.h"
#include "cli/frame/invocation.h"
#include "cli/frame/message.h"

namespace orrery::cli {

/// --csv, of verbs that answer with tables.
Flag csv_flag();

/// The flags of every verb that reads traces (--salvage), to be placed among the verb's own.
std::vector<Flag> with_input_flags(std::vector<Flag> flags);

/// --rank, --annotation, --instance and --restore, with the input flags, behind the verb's own.
std::vector<Flag> with_window_flags(std::vector<Flag> flags);

/// --clock, --annotation, --instance and the input flags, behind the verb's own.
std::vector<Flag> with_job_flags(std::vector<Flag> flags);
Flag clock_flag();

/// --reduce, of verbs whose job is not kept whole.
Flag reduce_flag(ask::RankDetail detail);

Flag unprofiled_flag();
/// The accelerator that work is held against.
Flag device_flag();
Flag without_profiler_flag();
/// --capture, of verbs about work that graphs may have launched.
Flag capture_flag();

/// --rules, of verbs that say what recorded works are.
Flag rules_flag();

/// --counters, of verbs that read traces.
Flag counters_flag();

/// --checkpoint, of verbs that sweep.
Flag checkpoint_flag();

}  // namespace orrery::cli

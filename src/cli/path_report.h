// How a step's path reads: the sentence, the tables, and the same as JSON.
#pragma once

#include <span>
#include <string>

#include "analyze/step_path.h"
#include "cli/invocation.h"

namespace orrery::cli {

/// A sentence, the breakdown by kind, the largest contributors with slack and derivative, and what to run next. `about_steps`: a line about the other
/// steps, or nothing.
std::string path_text(const Invocation& invocation, const link::StepGraph& step, const analyze::StepPath& path,
                      const std::string& about_steps = "");

/// "Next: what if it were twice as fast?  orrery whatif ...": of the contributor that gains most. `traces`: as they are typed; `ranks`: of a job.
std::string next_whatif(const Invocation& invocation, const std::string& traces, const Interner& strings, const analyze::StepPath& path,
                        std::span<const link::JobRank> ranks);
/// The member "if_free": the edit that takes away what the verdict names, what it saves, and what bounds the rest; null where there is none.
void write_relief_json(JsonWriter& json, const analyze::StepPath& path);

/// The members of the data object: the same names as with --compat hta where the meaning is the same.
void write_path_json(JsonWriter& json, const link::StepGraph& step, const analyze::StepPath& path, bool with_breakdown);

}  // namespace orrery::cli

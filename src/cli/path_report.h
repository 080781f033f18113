// How a step's path reads: the sentence, the tables, and the same as JSON.
#pragma once

#include <string>

#include "analyze/step_path.h"
#include "cli/invocation.h"

namespace orrery::cli {

/// A sentence, the breakdown by kind, the largest contributors with slack and derivative, and what to run next.
std::string path_text(const Invocation& invocation, const link::StepGraph& step, const analyze::StepPath& path);

/// The members of the data object: the same names as with --compat hta where the meaning is the same.
void write_path_json(JsonWriter& json, const link::StepGraph& step, const analyze::StepPath& path, bool with_breakdown);

}  // namespace orrery::cli

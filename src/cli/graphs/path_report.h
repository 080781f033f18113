// How a path reads: the sentence, the tables, the same as JSON, and drawn over the trace.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analyze/path/causal_path.h"
#include "analyze/path/step_spread.h"
#include "base/json/json_writer.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

// How steps differ, for programs; the sentence is analyze::steps_differ.

/// The member `steps`: null where there are fewer than two.
void write_step_spread_json(JsonWriter& json, const std::optional<analyze::StepSpread>& spread);

/// A sentence, the breakdown by kind, of several ranks whose part it is, the largest contributors with slack and
/// derivative, and what to run next. `about_steps`: a sentence about the other steps, or nothing.
std::string path_text(const Invocation& invocation, const causal::CausalGraph& job, const analyze::CausalPath& path,
                      const std::string& about_steps);

/// The members of the data object: the same names as with --compat hta where the meaning is the same.
void write_path_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::CausalPath& path,
                     bool with_breakdown);

/// With --overlay, every rank's file again with its part of the path, under its own name in a folder; of one rank that
/// file.
Status write_overlays(const Invocation& invocation, const causal::CausalGraph& job, const analyze::PathSums& path);

}  // namespace orrery::cli

// How blame reads: the sentences, the tables, and the same as JSON.
#pragma once

#include <string>

#include "analyze/blame/blame.h"
#include "base/json/json_writer.h"
#include "causal/causal_graph.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// Sentences first: how much, whose fault and by what, whether that is more than chance, what there is to gain. Then
/// who waits for whom (a matrix up to 16 ranks, above that the worst pairs), ranks, causes, operations, steps.
std::string blame_text(const Invocation& invocation, const causal::CausalGraph& job, const analyze::Blame& blame);

/// The members of the data object behind `job`.
void write_blame_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::Blame& blame);

}  // namespace orrery::cli

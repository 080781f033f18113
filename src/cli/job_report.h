// What every answer about a whole job begins with: which ranks, steps and clocks it rests on, as a sentence and as JSON; and how its path reads.
#pragma once

#include <string>

#include "analyze/job_path.h"
#include "base/json_writer.h"
#include "cli/invocation.h"
#include "link/job_graph.h"

namespace orrery::cli {

/// The member "job". `replayed`: the length of the job solved from its edges.
void write_job_json(JsonWriter& json, const link::JobGraph& job, TimePs replayed);

/// What is not whole, or how it was measured: "Clocks: ...; replay residual ...". One line.
std::string job_trust_line(const link::JobGraph& job, TimePs replayed);

/// `about_steps`: a sentence on how the steps of the job differ, or nothing.
std::string job_path_text(const Invocation& invocation, const link::JobGraph& job, const analyze::JobPath& path,
                          const std::string& about_steps);
void write_job_path_json(JsonWriter& json, const link::JobGraph& job, const analyze::JobPath& path);

}  // namespace orrery::cli

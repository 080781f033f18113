// How a what-if of a whole job reads: the sentence, the tables, and the same as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyze/job_whatif.h"
#include "cli/invocation.h"
#include "report/sheet.h"

namespace orrery::cli {

std::string job_whatif_text(const Invocation& invocation, const analyze::JobEdits& edits, const analyze::JobWhatIf& result,
                            std::span<const analyze::SweepRow> points);

/// The members of the data object: those of one rank, with `rank` null, and `job` and `ranks`.
void write_job_whatif_json(JsonWriter& json, const analyze::JobEdits& edits, const analyze::JobWhatIf& result,
                           std::span<const analyze::SweepRow> points);

}  // namespace orrery::cli

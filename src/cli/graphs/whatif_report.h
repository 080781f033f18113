// How a what-if reads: the sentence, the tables, and the same as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyze/whatif/whatif.h"
#include "cli/frame/invocation.h"
#include "report/sheet.h"

namespace orrery::cli {

std::string whatif_text(const Invocation& invocation, const analyze::GraphEdits& edits, const analyze::WhatIf& result,
                        std::span<const analyze::SweepRow> points);

/// The members of the data object; of several ranks `rank` is null, and there are `job` and `ranks`.
void write_whatif_json(JsonWriter& json, const analyze::GraphEdits& edits, const analyze::WhatIf& result,
                       std::span<const analyze::SweepRow> points);

}  // namespace orrery::cli

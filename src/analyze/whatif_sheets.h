// A what-if as Sheets: what the edits selected, what the path was made of before and after, what moved, and how the step answers to factors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/whatif.h"
#include "link/step_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per edit, in the order given: edit, edges (that it selected).
report::Sheet edits_sheet(const std::vector<EditRule>& rules, const WhatIf& result);

/// Per kind of time that is on the path before or after: kind, before_us, after_us, change_us. The sums are the step's.
report::Sheet changed_bounds_sheet(const WhatIf& result);

/// What moved most, in the order of WhatIf::moves: kind, name (unknown of time that belongs to no event), before_us, after_us, change_us.
report::Sheet moves_sheet(const link::StepGraph& step, const WhatIf& result);

/// Per factor: factor, step_us, change_pct (against the unedited step), verdict.
report::Sheet sweep_sheet(TimePs unedited, std::span<const SweepPoint> points);

/// The same for any answer, of one rank or of a job. `stopped`: time that is on the path after because ranks stand still, a kind of its own.
report::Sheet edits_sheet(std::span<const std::string> texts, std::span<const std::uint64_t> matched);
report::Sheet changed_bounds_sheet(std::span<const TimePs> before, std::span<const TimePs> after, TimePs stopped = 0);
report::Sheet moves_sheet(const Interner& strings, std::span<const Move> moves);
report::Sheet sweep_sheet(TimePs unedited, std::span<const SweepRow> rows);

/// All of them; the sweep only if there is one.
std::vector<report::Sheet> whatif_sheets(const link::StepGraph& step, const std::vector<EditRule>& rules, const WhatIf& result,
                                         std::span<const SweepPoint> points);
std::vector<report::Sheet> whatif_sheets(const link::StepGraph& step, const std::vector<EditRule>& rules, const WhatIf& result,
                                         std::span<const SweepRow> rows);

}  // namespace orrery::analyze

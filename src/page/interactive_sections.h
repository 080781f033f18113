// The parts that the page's script fills: the what-if form and the timeline with its details.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "page/report_data.h"
#include "page/section.h"
#include "page/step_facts.h"
#include "report/html_writer.h"

namespace orrery::page {

/// `command`: orrery whatif OPERANDS ... FLAGS, without edits. `why_no_graph`: a sentence if the page cannot solve the step again, else empty.
Section whatif_section(const StepFacts& facts, const CommandParts& command, std::string_view why_no_graph);
Section timeline_section();

/// Keys and what they do, as the dialog and About list them.
void write_keys_table(report::HtmlWriter& html);

}  // namespace orrery::page

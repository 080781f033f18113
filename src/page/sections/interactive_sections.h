// The parts that the page's script fills: the what-if form and the timeline with its details.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/path/scaling_range.h"
#include "page/data/report_data.h"
#include "page/sections/section.h"
#include "page/step_facts.h"
#include "report/html_writer.h"

namespace orrery::page {

/// What is said instead of a slider: what a little less or more does, and how far that holds.
struct SliderRange {
  Slider slider;
  analyze::ScalingRange range;
};

/// `command`: orrery whatif OPERANDS ... FLAGS, without edits.
Section whatif_section(const StepFacts& facts, const CommandParts& command);
/// Of a page that cannot solve the step again. `why`: a sentence.
Section whatif_section_without_graph(const StepFacts& facts, const CommandParts& command, std::string_view why,
                                     const std::vector<SliderRange>& ranges);
Section timeline_section();

/// Keys and what they do, as the dialog and About list them.
void write_keys_table(report::HtmlWriter& html);

}  // namespace orrery::page

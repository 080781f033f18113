// How communication went: by kind, group and size.
#pragma once

#include <string_view>

#include "page/sections/section.h"
#include "report/sheet.h"

namespace orrery::page {

/// `collectives`: analyze::recorded_collectives_sheet of a job or of one rank, or collective_kinds_sheet of a simulated
/// run. `about`: a sentence on how to read it. Without rows the section is absent.
Section collectives_section(const report::Sheet& collectives, std::string_view about);

}  // namespace orrery::page

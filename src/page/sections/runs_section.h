// Runs that have nothing to do with one another, side by side: what a page shows in place of the ranks of a job.
#pragma once

#include "page/sections/section.h"
#include "report/sheet.h"

namespace orrery::page {

/// `runs`: a row each, the first is the one that the page is about.
Section runs_section(const report::Sheet& runs);

}  // namespace orrery::page

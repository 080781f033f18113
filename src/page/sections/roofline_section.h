// How far the operators are from what the device allows, those that lose most time first.
#pragma once

#include <string_view>

#include "page/sections/section.h"
#include "report/sheet.h"

namespace orrery::page {

/// `operators`: analyze::operators_sheet, by lost time. `about`: a sentence on what they are held against. Without rows
/// the section is absent.
Section roofline_section(const report::Sheet& operators, std::string_view about);

}  // namespace orrery::page

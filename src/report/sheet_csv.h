// Sheets as CSV (RFC 4180, but lines end in \n): a line of keys, a line per row. Numbers as in JSON, nothing for what
// is not known.
#pragma once

#include <span>
#include <string>

#include "report/sheet.h"

namespace orrery::report {

std::string to_csv(const Sheet& sheet);

/// Several in one text: each under a line "# name", with an empty line between them.
std::string to_csv(std::span<const Sheet> sheets);

}  // namespace orrery::report

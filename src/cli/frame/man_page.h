// The manual page orrery(1), generated from the table of verbs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/frame/verb.h"

namespace orrery::cli {

/// The page in roff with the man macros. No date, so that the same program makes the same page.
std::string man_page(std::span<const Verb* const> table);

/// `text` as it must be written in roff to appear as it is: escapes for backslashes, dashes, characters beyond ASCII,
/// and control lines.
std::string roff_escape(std::string_view text);

}  // namespace orrery::cli

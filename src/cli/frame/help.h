// What --help prints, and the same as data for programs that want to know the verbs and flags.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/verb.h"
#include "report/facts.h"
#include "report/style.h"

namespace orrery::cli {

// The manual page orrery(1), generated from the table of verbs.

/// The page in roff with the man macros. No date, so that the same program makes the same page.
std::string man_page(std::span<const Verb* const> table);

/// `text` as it must be written in roff to appear as it is: escapes for backslashes, dashes, characters beyond ASCII,
/// and control lines.
std::string roff_escape(std::string_view text);

/// The program: its verbs, one line each, and the global flags.
std::string program_help(std::span<const Verb* const> table, std::size_t columns, const report::Style& style);

/// One verb: usage, description, operands, flags by group, examples.
std::string verb_help(const Verb& verb, std::size_t columns, const report::Style& style);

/// "orrery path [FLAG]... FILE..."
std::string usage_line(const Verb& verb);

/// "-o, --output FILE"
std::string flag_signature(const Flag& flag);

/// The help of a flag with its choices, its default and whether it may be repeated.
std::string flag_explanation(const Flag& flag);
/// The help of a verb's operands with their choices.
std::string operands_explanation(const Operands& operands);

/// The members "global_flags" and "verbs": the table as data.
void tell_verbs(report::Facts& facts, std::span<const Verb* const> table);

}  // namespace orrery::cli

// Text in columns: how wide it is at a terminal, and how to cut and pad it. Names in traces come from anywhere, so
// nothing here trusts them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery::report {

/// Columns that well-formed UTF-8 takes: 2 for East Asian wide characters and emoji, 0 for combining marks, 1 for all
/// else.
std::size_t display_width(std::string_view text);

/// `text` on one line and without effects on a terminal: control characters become blanks, bytes that are not UTF-8
/// become U+FFFD.
std::string printable(std::string_view text);

/// `text` cut in the middle with "…" to at most `columns`: the end of a kernel's or a file's name tells as much as its
/// beginning.
std::string truncate_middle(std::string_view text, std::size_t columns);

/// Blanks up to `columns` behind or in front of `text`; longer text stays as it is.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

/// `text` broken at blanks into lines of at most `columns`, each indented by `indent`; a longer word gets a line of its
/// own. An empty line separates paragraphs. Ends with a newline unless empty.
std::string wrap(std::string_view text, std::size_t columns, std::size_t indent);

}  // namespace orrery::report

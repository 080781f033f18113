// UTF-8 well-formedness (Unicode 15, table 3-7): traces carry names that were cut in the middle of a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

inline constexpr std::string_view kUtf8Replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Length of the well-formed sequence at the front of `text`, or 0.
std::size_t utf8_sequence_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// Each byte that belongs to no well-formed sequence becomes U+FFFD.
std::string repair_utf8(std::string_view text);

/// Appends one code point; a lone surrogate becomes U+FFFD.
void append_utf8(std::string& out, unsigned code_point);

}  // namespace orrery

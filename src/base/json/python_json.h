// JSON as Python's json.dump(indent=4) writes what json.load() made of it: one member or entry per line, everything in
// ASCII, numbers by repr(). For files that must be those of a Python program, byte for byte.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// The shortest text that reads back, with a point or an exponent: 1.0, 0.0001, 1e-05, 1e+16. Of a finite number.
std::string python_number(double value);

/// Appends `text`, which is UTF-8, as a string with its quotes; a byte that is part of no character becomes U+FFFD.
void append_python_text(std::string& out, std::string_view text);

/// Appends the value `json`, which is well formed, as it stands `depth` levels deep in a document: its first line is
/// not indented. White space and the spelling of texts and numbers are Python's; of members of one name all stay. One
/// pass, no recursion.
void append_python_json(std::string& out, std::string_view json, std::size_t depth);

}  // namespace orrery

// JSON values as Python's str() writes what json.load() made of them: the form in which Chakra keeps the inputs and
// outputs of operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::chakra {

// Which characters Python writes as they are in the repr() of a string.

/// Python's str.isprintable() of one code point, as of Unicode 14.
bool is_printable(std::uint32_t code_point);

/// Appends str() of the value `json`: [5,"cuda:0",true,1e-5] becomes [5, 'cuda:0', True, 1e-05]. A string is appended
/// as it is, without quotes; only those inside of lists and objects get them. `json` is one value that is well formed,
/// followed by at least 64 readable bytes. Nesting costs nothing: one pass, no recursion.
void append_python_str(std::string& out, std::string_view json);

/// The other way round: appends the JSON of a list in Python's spelling, ['cuda:0', True, None, inf] as
/// ["cuda:0",true,null,"inf"]. False, and what was appended is without meaning, where the text is none. One pass, no
/// recursion; brackets are not matched.
bool append_json_of_python(std::string& out, std::string_view python);

}  // namespace orrery::chakra

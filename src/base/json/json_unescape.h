// JSON string escapes.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// Replaces \n, \", \uXXXX (with surrogate pairs) and the like. A malformed escape is kept as it stands: names are
/// shown, not executed.
std::string unescape_json(std::string_view text);

}  // namespace orrery

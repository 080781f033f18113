// What is said of edits that change nothing, or not all that they name.
#pragma once

#include "base/diagnostics.h"

namespace orrery::cli {

inline constexpr DiagnosticKind kNothingMatched{"W401", Severity::error, "an edit selects nothing in this step",
                                                "see the names with: orrery path"};
inline constexpr DiagnosticKind kNotThere{"W405", Severity::error, "an edit names a rank or step that is not there",
                                          "the others were changed; which there are: orrery info"};

}  // namespace orrery::cli

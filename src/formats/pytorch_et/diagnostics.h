// What can be wrong with a row of a host trace. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::pytorch_et {

inline constexpr DiagnosticKind kNewerSchema{"L205", Severity::warning, "host trace of a schema newer than 1.1.1",
                                             "read as 1.1.1; what that does not know was passed over"};
inline constexpr DiagnosticKind kUnusableRow{
    "L206", Severity::warning, "row of a host trace that is no object, or has no usable id", "it was left out"};
inline constexpr DiagnosticKind kNoParent{"L207", Severity::warning,
                                          "row of a host trace that does not say which row called it",
                                          "treated as called by nobody"};
inline constexpr DiagnosticKind kUnusableMember{
    "L208", Severity::warning, "row of a host trace without attributes, or with a value of the wrong type",
    "what it lacks counts as not given"};
inline constexpr DiagnosticKind kTextAfterEnd{"L209", Severity::warning, "text after the end of a host trace",
                                              "it was not read; were two files joined?"};

}  // namespace orrery::pytorch_et

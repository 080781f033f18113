// What the reader of training operations remarks.
#pragma once

#include "base/diagnostics.h"

namespace orrery::training_operations {

inline constexpr DiagnosticKind kBadRow{"S295", Severity::warning, "row of a table of operations that cannot be used",
                                        "it is left out: a number is missing, no number, or negative"};
inline constexpr DiagnosticKind kOperationTwice{"S296", Severity::warning, "operation that a step has twice",
                                                "the first counts; are these the tables of two jobs?"};

}  // namespace orrery::training_operations

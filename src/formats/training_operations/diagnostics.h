// What the reader of training operations remarks.
#pragma once

#include "base/diagnostics.h"

namespace orrery::training_operations {

inline constexpr DiagnosticKind kBadRow{"S295", Severity::warning, "row of a table of operations that cannot be used",
                                        "it is left out: a number is missing, no number, or negative"};
inline constexpr DiagnosticKind kOperationTwice{"S296", Severity::warning, "operation that a step has twice",
                                                "the first counts; are these the tables of two jobs?"};
inline constexpr DiagnosticKind kMissingOperation{"S297", Severity::warning, "operation that a worker lacks in a step",
                                                  "it takes the typical time there; was the recording cut?"};
inline constexpr DiagnosticKind kNoDependencies{"S298", Severity::warning,
                                                "table of operations that does not tell what depends on what",
                                                "its operations stand alone; is the table whole?"};
inline constexpr DiagnosticKind kContradictedNeed{"S299", Severity::note,
                                                  "operation that began long before what it needs had ended",
                                                  "it goes without; does the first step have another order?"};

}  // namespace orrery::training_operations

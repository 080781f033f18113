// What readers of step logs remark.
#pragma once

#include "base/diagnostics.h"

namespace orrery::step_logs {

inline constexpr DiagnosticKind kBadLine{"S290", Severity::warning, "line of a log that cannot be used",
                                         "it is left out; a line of a step needs its rank, its step and a time"};
inline constexpr DiagnosticKind kOpenInterval{"S291", Severity::note, "interval of a log without its end",
                                              "it is an instant; several processes may have written into one log"};
inline constexpr DiagnosticKind kEndAlone{"S292", Severity::note, "end of an interval of a log that never began",
                                          "it is left out; was the log cut at the front?"};
inline constexpr DiagnosticKind kStepTwice{"S293", Severity::warning, "step that a log has twice for one rank",
                                           "the first counts; are these the logs of two runs?"};

}  // namespace orrery::step_logs

// What the reader of OTF2 archives remarks.
#pragma once

#include "base/diagnostics.h"

namespace orrery::otf2 {

inline constexpr DiagnosticKind kOpenCall{"S280", Severity::note, "OTF2: call or region that is never left",
                                          "it is left out; was the run stopped?"};
inline constexpr DiagnosticKind kUnknownCommunicator{"S281", Severity::warning,
                                                     "OTF2: record of a communicator whose members are not defined",
                                                     "the call keeps its times; whom it is with is not known"};
inline constexpr DiagnosticKind kStrayRecord{"S282", Severity::note, "OTF2: record of a message outside of any call",
                                             "it is left out"};

}  // namespace orrery::otf2

// The remarks that reading Chakra execution traces can give rise to.
#pragma once

#include "base/diagnostics.h"

namespace orrery::chakra {

inline constexpr DiagnosticKind kDanglingControl{
    "C301", Severity::warning, "control dependency on a node that does not exist",
    "it was left out; Chakra's converter leaves these behind when it drops nodes"};
inline constexpr DiagnosticKind kCircularControl{
    "C314", Severity::warning, "control dependencies that form a cycle where those of data do not",
    "all control dependencies of the file were left out; Chakra's first feeder looks at none"};
inline constexpr DiagnosticKind kUnsureSchema{"C302", Severity::note,
                                              "the file does not say by which schema it is to be read",
                                              "name the schema if this guess is wrong"};
inline constexpr DiagnosticKind kStartBeyondRange{
    "C303", Severity::warning, "recorded start more than 26 days from the first one", "it counts as not recorded"};
inline constexpr DiagnosticKind kIncompleteMessage{"C304", Severity::warning, "message without comm_tag or comm_size",
                                                   "0 was taken; Chakra's converter leaves these out"};
inline constexpr DiagnosticKind kUnknownNodeType{"C305", Severity::warning, "node of a type that is not known",
                                                 "it is kept, but takes part in nothing"};
inline constexpr DiagnosticKind kLaneBeyondRange{"C306", Severity::note, "stream or thread number beyond 32 bits",
                                                 "the node has no lane"};

}  // namespace orrery::chakra

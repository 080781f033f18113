// What can be odd about files to be scrubbed. Codes are listed in docs/DIAGNOSTICS.md.
#pragma once

#include "base/diagnostics.h"

namespace orrery::scrub {

inline constexpr DiagnosticKind kUnknownMember{"P501", Severity::note, "member that scrub does not know",
                                               "it was left out; a dry run lists them all"};
inline constexpr DiagnosticKind kUnusableMember{
    "P502", Severity::warning, "member whose value is not of the kind it should be", "it was left out"};
inline constexpr DiagnosticKind kUnusableRecord{
    "P503", Severity::warning, "entry of a list of records that is no object", "null was written in its place"};
inline constexpr DiagnosticKind kRankUnknown{"P504", Severity::note,
                                             "neither the file nor its name says which rank it is",
                                             "numbered by its place among the files"};
inline constexpr DiagnosticKind kNotFused{"P505", Severity::note, "there is nothing to fuse in this file",
                                          "it joins nodes of Chakra files (.et) only"};

}  // namespace orrery::scrub

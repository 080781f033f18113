// A-mpiP traces and mpiP reports written again line by line. What they give away: paths, source files and functions of
// callsites, hosts, the command, the date, and the regions that a program named. What stays: functions of MPI, numbers
// of callsites, ranks, counts, sizes, times, lines in files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scrub/files/file_facts.h"
#include "scrub/files/json_rewriter.h"

namespace orrery::scrub {

/// First pass: an Error if `bytes`, the inflated file, is not as the tool writes it.
Status survey_ampip(std::string_view bytes, FileFacts& facts);

/// Second pass. `write` gets the new bytes in pieces; `rewriter` lends its names and counts.
Status rewrite_ampip(std::string_view bytes, const FileFacts& facts, JsonRewriter& rewriter,
                     const std::function<void(std::string_view)>& write);

}  // namespace orrery::scrub

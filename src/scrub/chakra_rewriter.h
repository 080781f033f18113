// Chakra files (.et) written again message by message: fields and attributes with a rule stay, all others are left out and counted.
#pragma once

#include <functional>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "scrub/json_rewriter.h"
#include "scrub/survey.h"

namespace orrery::scrub {

/// First pass: checks every message and fills in `facts`. An Error if the file is no Chakra trace of the present schema.
Status survey_chakra(const MappedFile& file, FileFacts& facts);

/// Second pass, over a file that was surveyed. `write` gets the new bytes in pieces. `rewriter` lends its names, counts and settings. With Settings::fuse chains
/// of compute nodes become one (fuse.h).
Status rewrite_chakra(const MappedFile& file, const Settings& settings, const JobFacts& facts, JsonRewriter& rewriter,
                      const std::function<void(std::string_view)>& write);

}  // namespace orrery::scrub

// The first pass over a Chakra file (.et).
#pragma once

#include <string_view>

#include "base/result.h"
#include "scrub/files/file_facts.h"

namespace orrery::scrub {

/// Checks every message of `bytes`, the inflated file, and fills in `facts`. An Error if it is no whole Chakra trace of
/// the present schema.
Status survey_chakra(std::string_view bytes, FileFacts& facts);

}  // namespace orrery::scrub

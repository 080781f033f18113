// Chakra files (.et) written again message by message: fields and attributes with a rule stay, all others are left out
// and counted.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scrub/files/json_rewriter.h"

namespace orrery::scrub {

/// Second pass, over `bytes`, the inflated file `path`, which was surveyed. `write` gets the new bytes in pieces.
/// `rewriter` lends its names, counts and settings. With Settings::fuse chains of compute nodes become one (fuse.h).
Status rewrite_chakra(std::string_view bytes, const std::string& path, const Settings& settings, const JobFacts& facts,
                      JsonRewriter& rewriter, const std::function<void(std::string_view)>& write);

}  // namespace orrery::scrub

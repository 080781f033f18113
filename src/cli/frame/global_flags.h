// The flags that every verb understands, before the verb or after it.
#pragma once

#include <vector>

#include "cli/frame/verb.h"

namespace orrery::cli {

const std::vector<Flag>& global_flags();

/// The same in the words of one verb.
std::vector<Flag> global_flags(const Verb& verb);

}  // namespace orrery::cli

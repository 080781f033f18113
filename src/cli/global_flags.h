// The flags that every verb understands, before the verb or after it.
#pragma once

#include <vector>

#include "cli/flag.h"

namespace orrery::cli {

const std::vector<Flag>& global_flags();

}  // namespace orrery::cli

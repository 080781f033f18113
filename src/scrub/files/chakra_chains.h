// What fusing (fuse.h) sees of the nodes of a Chakra file.
#pragma once

#include <string_view>

#include "scrub/fuse.h"

namespace orrery::scrub {

/// The chains of compute nodes in `bytes`, a whole file that was surveyed.
FusedChains find_chakra_chains(std::string_view bytes);

}  // namespace orrery::scrub

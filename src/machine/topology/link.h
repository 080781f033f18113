// One direction of a cable: what flows share.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace orrery::machine {

using LinkId = std::uint32_t;
using VertexId = std::uint32_t;  ///< devices first (the rank), then switches

struct Link {
  VertexId from = 0;
  VertexId to = 0;
  double bytes_per_second = 0;  ///< after derating; above 0, except for a link that is down
  TimePs latency_ps = 0;
};

}  // namespace orrery::machine

// A machine's network with edits: `network bandwidth * 2`, `network latency = 1us`, `link:"device3 -> *" bandwidth * 0.5`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "machine/topology/network.h"

namespace orrery::analyze {

struct EditedNetwork {
  machine::Network network;
  std::vector<std::uint64_t> matched;  ///< per edit: links it selected
};

/// Applies the edits in order; each sees the result of those before it. Patterns are matched against Network::link_name. Latencies do not fall
/// below 0, and no link is taken down: a bandwidth that would be 0 is the least there is, a byte per second.
EditedNetwork edit_network(const machine::Network& network, std::span<const NetworkEdit> edits);

}  // namespace orrery::analyze

// Chains of compute nodes as one node each: what happens between two communications without how it is made up.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace orrery::scrub {

/// What fusing looks at in a node.
struct FusableNode {
  std::uint64_t id = 0;
  std::uint64_t duration_us = 0;
  std::uint64_t start_us = 0;  ///< 0: not recorded
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  std::uint64_t place = 0;  ///< nodes of different places (host or device, stream, thread) are not fused
  bool is_compute = false;
  std::vector<std::uint64_t> needs;  ///< data and control dependencies, each id once
};

/// For each chain, what its last node takes over from the others; the others are gone.
struct FusedChains {
  struct Chain {
    std::uint64_t first_id = 0;  ///< its dependencies become those of the chain
    std::uint64_t nodes = 0;
    std::uint64_t duration_us = 0;  ///< the sum, as of the following
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t start_us = 0;  ///< of the first
  };
  std::unordered_map<std::uint64_t, Chain> by_last_id;
  std::unordered_set<std::uint64_t>
      gone;  ///< ids of all nodes of chains but the last; nobody outside the chain needs them
};

/// Two nodes are fused if both compute in the same place, the second needs nothing but the first, and nothing else
/// needs the first: whoever starts as soon as its dependencies have ended starts when it did before. Linear in nodes
/// and dependencies; chains may be of any length.
FusedChains find_chains(const std::vector<FusableNode>& nodes);

}  // namespace orrery::scrub

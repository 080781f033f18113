// Who waits for whom, in what: the arrows between the ranks of a job that does not go on.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/hang/job_calls.h"

namespace orrery::analyze {

/// A rank is inside `call` and needs `target`, which has not called it, or whose device has not begun it.
struct Arrow {
  std::uint32_t target = 0;  ///< place in JobCalls::ranks
  std::uint32_t call = 0;    ///< place in RankCalls::calls of the rank that waits
  friend bool operator==(const Arrow&, const Arrow&) = default;
};

/// By rank, as JobCalls::ranks; those of one rank by target, then call. Collectives: every member that has not come. A
/// message: its peer, whose n-th of that pair is not there; both sides count from what both have done, where a recorder
/// dropped the first.
std::vector<std::vector<Arrow>> find_arrows(const JobCalls& job);

/// One step of a chain: `rank` waits for `target` in `call`.
struct ChainStep {
  std::uint32_t rank = 0, target = 0, call = 0;
};

/// The longest way along arrows to one of `ends` (by rank, 1: it is one); of equally long ones that through lower
/// ranks. Ranks that wait in a circle are on no way. Empty: nobody waits for any of them.
std::vector<ChainStep> longest_chain(const std::vector<std::vector<Arrow>>& arrows,
                                     const std::vector<std::uint8_t>& ends);

/// By rank, 1: it is reached by arrows from some rank that waits.
std::vector<std::uint8_t> waited_for(const std::vector<std::vector<Arrow>>& arrows);

/// Places of the ranks that reach themselves along arrows, ascending.
std::vector<std::uint32_t> ranks_in_circles(const std::vector<std::vector<Arrow>>& arrows);

}  // namespace orrery::analyze

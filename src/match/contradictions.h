// Collectives that cannot be what they were taken for, whatever the clocks showed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/causal_order.h"
#include "match/exchange.h"

namespace orrery::match {

/// A clock that only runs forward keeps the order of what it stamps. So if one node ends X before it starts Y, and
/// another ends Y before it starts X, then X would come before itself: the events taken for X and Y on the two nodes
/// are not the same collectives (or a clock was set back in between). In general this is a cycle in the graph of
/// moments along the chains and from starts to the ends that wait for them. Of the collectives on cycles those are
/// named whose ends lie furthest from where the others of the same component put them, until no cycle is left. Places
/// in `exchanges.all`, increasing. O(moments) without a cycle; else that for each round, of which there are few.
std::vector<std::uint32_t> find_contradictions(const Exchanges& exchanges, const PartTimes& times,
                                               std::span<const std::uint32_t> chain_of_part, std::uint32_t chains);

/// Moves them from `collectives` to `mispaired`: times as recorded, a chain per node and clock.
void set_mispaired_apart(Exchanges& exchanges);

}  // namespace orrery::match

// How much each member of a collective puts in or gets, where that is not the same for all.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "workload/agreement.h"
#include "workload/matching.h"

namespace orrery::workload {

/// Where the collective of a member is: its program and the activity there.
using SideOf = std::function<Side(std::uint32_t rank)>;

/// Empties `parts` if all parts of a collective are equal. Otherwise one number of bytes per member, in the order of
/// the group: of all_gather and gather what each puts in, of reduce_scatter and scatter the share of each; of
/// all_to_all one per pair of members, those of the first sender first (a sender that gives no list spreads what it
/// sends evenly, rounded up). O(1) if members share a program.
void collect_parts(const Workload& job, const Communicator& communicator, const SideOf& side_of,
                   std::vector<std::int64_t>& parts);
/// The same of collective number `place` of a communicator.
void collect_parts(const Matching& matching, const Communicator& communicator, std::uint64_t place,
                   std::vector<std::int64_t>& parts);

/// The size of a collective with unequal parts, counted as for equal ones (whole_bytes()): the sum of what is put in or
/// got; of all_to_all the most that one rank sends. Stops at the largest number there is.
std::int64_t whole_bytes_of_parts(Collective collective, std::span<const std::int64_t> parts, std::size_t ranks);

}  // namespace orrery::workload

// How recorded communication went, by kind, group and size: how long the data took, how long it was waited for, and who
// came last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "causal/causal_graph.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// All calls of one kind, group and size. Of one rank's recording alone nothing is known of the others: `transfer` is
/// then the time in the calls, waiting for others included, so that bandwidths are what was reached at least; `wait`,
/// who was last, and what else is theirs to say is not known.
struct CollectiveRow {
  std::string what;           ///< all_reduce, ...; p2p for messages
  std::string group;          ///< its name
  std::uint32_t members = 0;  ///< of the group
  std::int64_t bytes = -1;    ///< as simulate::CommOp counts them; -1: not recorded
  std::uint64_t calls = 0;
  TimePs transfer = 0;  ///< of all calls: from when what a member needs is there to its end, that of the last member
  std::optional<TimePs> wait =
      {};  ///< of all calls: from its arrival until what it needs is there, that of the member which waits longest
  std::optional<double> slowest_bus = {}, median_bus = {};  ///< bytes per second, see simulate::bus_bytes_per_second;
                                                            ///< none: of unknown size, or nothing moves
  std::optional<std::int64_t> late_rank = {};  ///< that made others wait longest, over all calls; of equals the lowest
  std::uint64_t late_calls = 0;                ///< in which it was waited for
};

/// Of the operations of a job's window; most transfer and waiting first, ties by kind, group and size. Messages that
/// came before they were asked for count for no bandwidth. O(participations log operations).
std::vector<CollectiveRow> recorded_collectives(const causal::CausalGraph& job);

/// What one rank alone can say; the same order. `rank`: place in Trace::ranks. O(events).
std::vector<CollectiveRow> recorded_collectives(const trace::Trace& trace, std::size_t rank);

/// "collectives": what, group, members, bytes, calls, transfer_us, wait_us, slowest_bus_gb_per_s, median_bus_gb_per_s,
/// late_rank, late_calls.
report::Sheet recorded_collectives_sheet(const std::vector<CollectiveRow>& rows);

}  // namespace orrery::analyze

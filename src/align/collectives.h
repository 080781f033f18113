// The same collective in the traces of several nodes, found by what names it: never by bare order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace orrery::align {

/// What one node recorded of a collective. Times are on the clock that stamped the lane.
struct Participation {
  std::uint32_t node = 0;  ///< place in Trace::ranks
  trace::EventIndex event = 0;
  TimePs start_ps = 0;
  TimePs end_ps = 0;
  std::uint8_t clock = 0;  ///< trace::Lane::clock of its lane
};

/// Which moments of the participants bound one another.
enum class Ordering : std::uint8_t {
  everybody_waits,  ///< nobody ends before everybody has started: all-reduce, all-gather, reduce-scatter, all-to-all, barrier
  root_first,       ///< nobody ends before the root has started: broadcast, scatter
  root_last,        ///< the root does not end before everybody has started: reduce, gather
  neighbours,       ///< a permutation: each waits for one other only, and which is not recorded
};

struct MatchedCollective {
  StringId name = 0;  ///< all-reduce.3
  std::int64_t sequence = 0;
  Ordering ordering = Ordering::everybody_waits;
  std::uint32_t first = 0;  ///< its participations: [first, first + count) of MatchedCollectives::parts, by node
  std::uint32_t count = 0;
};

struct MatchedCollectives {
  std::vector<MatchedCollective> collectives;  ///< in order of first appearance
  std::vector<Participation> parts;
  std::size_t unmatched = 0;  ///< recorded by one node only
  std::size_t ambiguous = 0;  ///< several of one name and number on a node, and not as many on all
};

/// Two nodes' events are the same collective if kind, name, process group and sequence number (of NCCL, or the run id of XLA) are the same;
/// of several with the same number on a node the n-th belongs to the n-th, if all nodes have as many. A node with several devices takes part
/// once, with the device that ends first.
MatchedCollectives match_collectives(const trace::Trace& trace);

}  // namespace orrery::align

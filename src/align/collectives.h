// The same collective or message in the traces of several nodes, found by what names it or by the pattern of times: never by bare order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace orrery::align {

/// What one node recorded of a collective. Times are on the clock that stamped the lane. Invariant: end_ps > start_ps.
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
  message,          ///< the first participation sends to the second, which does not end before the first has started
  neighbours,       ///< each waits for some others only, and for which is not recorded
};

inline constexpr std::uint32_t kUnknownRoot = ~std::uint32_t{0};

struct MatchedCollective {
  StringId name = 0;  ///< all-reduce.3
  std::int64_t sequence = 0;
  Ordering ordering = Ordering::everybody_waits;
  bool by_pattern = false;  ///< it carries no number: found by the pattern of intervals, `sequence` counts from 0
  std::uint32_t first = 0;  ///< its participations: [first, first + count) of MatchedCollectives::parts, by node
  std::uint32_t count = 0;
  std::uint32_t root = kUnknownRoot;  ///< of root_first and root_last: place in `parts`
};

struct MatchedCollectives {
  std::vector<MatchedCollective> collectives;  ///< in order of first appearance, node by node; messages last
  std::vector<Participation> parts;
  /// Collectives that would have to come before themselves: what was put together there is not one collective. See contradictions.h.
  std::vector<MatchedCollective> mispaired;

  std::size_t unmatched = 0;           ///< recorded by one node only
  std::size_t ambiguous = 0;           ///< several of one name and number on a node, and not as many on all
  std::size_t unclear_pattern = 0;     ///< sightings without a number whose pattern of intervals fits in more than one way, or in none
  std::size_t without_extent = 0;      ///< events that do not end after they start
  std::size_t messages_unmatched = 0;  ///< sends and receives whose other side is not there
  std::size_t messages_ambiguous = 0;  ///< sends and receives of a channel with different counts and no numbers to go by
  std::size_t peers_unknown = 0;       ///< sends and receives that do not say whom with
};

/// Two nodes' events are the same collective if kind, name, process group and sequence number (of NCCL, or the run id of XLA) are the same;
/// of several with the same number on a node the n-th belongs to the n-th, if all nodes have as many. Those without a number are put
/// together by pattern_pairing.h. A node with several devices takes part once, with the device that ends first. What contradicts itself is
/// set apart as `mispaired`. O(events), but for sorting the messages.
MatchedCollectives match_collectives(const trace::Trace& trace);

}  // namespace orrery::align

// Exchange: one communication as all who took part saw it. Found once, by one set of rules, for alignment, linking and
// causality checks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "match/recorded_communication.h"
#include "trace/trace.h"

namespace orrery::match {

/// What one participant recorded of an exchange. Times are on the clock that stamped the lane. Invariant: end_ps >
/// start_ps. It arrived at start_ps: when its device, or the thread that did it, began; for a message of a host when it
/// was asked for, since a send is on its way before its own interval begins. It left at end_ps.
struct Participation {
  std::uint32_t node = 0;  ///< place in Trace::ranks
  trace::EventIndex event = 0;
  TimePs start_ps = 0;
  TimePs end_ps = 0;
  trace::EventIndex call = kNoCall;  ///< of what a host did itself: the call that asked for it
  std::uint8_t clock = 0;            ///< trace::Lane::clock of its lane
};

/// Which moments of the participants bound one another.
enum class Ordering : std::uint8_t {
  everybody_waits,  ///< nobody ends before everybody has started: all-reduce, all-gather, reduce-scatter, all-to-all,
                    ///< barrier
  root_first,       ///< nobody ends before the root has started: broadcast, scatter
  root_last,        ///< the root does not end before everybody has started: reduce, gather
  message,          ///< the first participation sends to the second, which does not end before the first has started
  neighbours,       ///< each waits for some others only, and for which is not recorded
};

inline constexpr std::uint32_t kUnknownRoot = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoOperation = ~std::uint32_t{0};

struct Exchange {
  StringId name = 0;  ///< all-reduce.3
  std::uint32_t operation =
      kNoOperation;  ///< its kind and group: place in Exchanges::operations; kNoOperation: a message
  std::int64_t sequence = 0;
  Ordering ordering = Ordering::everybody_waits;
  bool by_pattern = false;  ///< it carries no number: found by the pattern of intervals, `sequence` counts from 0
  std::uint32_t first = 0;  ///< its participations: [first, first + count) of Exchanges::parts, by node and lane; of a
                            ///< message the sender first
  std::uint32_t count = 0;
  std::uint32_t root = kUnknownRoot;  ///< of root_first and root_last: place in `parts`
};

struct Exchanges {
  std::vector<Exchange> all;  ///< in order of first appearance, node by node; messages last
  std::vector<Participation> parts;
  std::vector<Operation> operations;
  std::vector<ProcessGroups::Group> groups;  ///< that Operation::members stands for
  /// Collectives that would have to come before themselves: what was put together there is not one collective. See
  /// contradictions.h.
  std::vector<Exchange> mispaired;

  std::size_t unmatched = 0;  ///< recorded by one node only
  std::size_t ambiguous = 0;  ///< several of one name and number on a node, and not as many on all
  std::size_t unclear_pattern =
      0;  ///< sightings without a number whose pattern of intervals fits in more than one way, or in none
  std::size_t without_extent = 0;      ///< events that do not end after they start
  std::size_t messages_unmatched = 0;  ///< sends and receives whose other side is not there
  std::size_t messages_ambiguous =
      0;                            ///< sends and receives of a channel with different counts and no numbers to go by
  std::size_t peers_unknown = 0;    ///< sends and receives that do not say whom with
  std::size_t groups_inferred = 0;  ///< see HostWorks
  std::size_t groups_unclear = 0;
  std::size_t order_disagrees = 0;
  std::vector<std::string> reused_group_names;  ///< that stand for different members on different ranks
};

/// What a participant put in (of a recv: got); none if it is not recorded.
std::optional<std::int64_t> bytes_of(const trace::Trace& trace, const Participation& part);

}  // namespace orrery::match

// Communication that the hosts do themselves (gloo, MPI): which call asked for it, in which group it is, and the
// how-manieth of that group.
//
// Nothing of that is written beside the interval of the work (gloo:all_reduce on a worker thread). But the call
// (c10d::allreduce_ on the thread that asked) has the root or the peer and the tag, workers take what was asked for in
// order, every process group has workers of its own, and the members of a group ask for the same in the same order.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "match/communication.h"
#include "trace/trace.h"

namespace orrery::match {

inline constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();
inline constexpr trace::EventIndex kNoCall = ~trace::EventIndex{0};
inline constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

struct HostWork {
  trace::EventIndex event = 0;       ///< gloo:all_reduce
  trace::EventIndex call = kNoCall;  ///< c10d::allreduce_
  bool call_is_sure = false;  ///< by numbers, or because all calls and works of its kind (and size) have each other
  CommunicationKind kind;
  std::uint32_t group = kNoGroup;       ///< place in SourceInfo::groups of its rank
  std::int64_t elements = kNoNumber;    ///< that this rank puts in
  std::int64_t root_bytes = kNoNumber;  ///< of a scatter: what its root puts in, which only the root records
  std::int64_t peer = kNoNumber;        ///< the root, or the other side of a message: by its place in the group;
                                        ///< workload::kAnyPeer: whoever sends
  std::int64_t tag = kNoNumber;         ///< of a message
  std::int64_t sequence = kNoNumber;  ///< of a collective: its place among those of its group, the same on all members
};

struct HostWorks {
  std::vector<std::vector<HostWork>> ranks;  ///< as Trace::ranks, each in order of `event`
  std::size_t inferred = 0;  ///< collectives whose group, of several that it could be, was found by who did the work
  std::size_t group_unclear = 0;  ///< collectives that could be of several groups
  std::size_t disagreeing = 0;    ///< collectives of groups whose members did not do the same in the same order

  /// Null if the event is no such work. O(log works).
  [[nodiscard]] const HostWork* find(std::size_t rank, trace::EventIndex event) const;
};

}  // namespace orrery::match

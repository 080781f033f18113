// How the events of a lane lie in one another: the call stacks of threads, and what of them overlaps without nesting.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "trace/trace.h"

namespace orrery::trace {

inline constexpr EventIndex kNoParent = ~EventIndex{0};

/// The events of a rank lane by lane: within a lane by start, the longer first, then as in the file. So each comes
/// after what is around it.
class LaneOrder {
 public:
  explicit LaneOrder(const RankTrace& rank);

  [[nodiscard]] std::span<const EventIndex> of(LaneIndex lane) const {
    return std::span<const EventIndex>(events_).subspan(first_[lane], first_[lane + 1] - first_[lane]);
  }

 private:
  Column<std::size_t> first_;  // per lane, one more than there are
  Column<EventIndex> events_;
};

struct Nesting {
  Column<EventIndex> parent;    ///< the innermost event of the lane that is around it; kNoParent
  Column<std::uint32_t> depth;  ///< how many are
};

/// An event is around another if it starts no later, ends no earlier, and has not ended where the other starts. O(n log
/// n), however events overlap.
Nesting nest_events(const RankTrace& rank);

}  // namespace orrery::trace

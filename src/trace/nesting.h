// How the events of a lane lie in one another: the call stacks of threads, and what of them overlaps without nesting.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/column.h"
#include "trace/trace.h"

namespace orrery::trace {

// Rows for slices of time that may overlap: on each row slices nest, and each goes to the first row where it does.

/// Slices come by start. O(log rows + log open) for each, however many overlap: the row is found in a tree of maxima
/// over what each row allows.
class NestingRows {
 public:
  using Row = std::uint32_t;
  /// Called for every slice once it has ended; on each row the innermost first, in order of time.
  using Ended = std::function<void(Row row, std::int64_t end)>;

  explicit NestingRows(Ended ended) : ended_(std::move(ended)) {}

  /// Ends what has ended by `start` and returns the row of the slice; rows are numbered as they are first needed.
  Row add(std::int64_t start, std::int64_t end);
  /// Ends all that are open.
  void finish();
  [[nodiscard]] std::size_t rows() const { return open_.size(); }

 private:
  void close_until(std::int64_t time);
  [[nodiscard]] Row first_that_takes(std::int64_t end) const;
  void set_room(Row row);
  void grow();

  struct Ending {
    std::int64_t end;
    Row row;
    bool operator>(const Ending& other) const { return end != other.end ? end > other.end : row > other.row; }
  };

  Ended ended_;
  std::vector<std::vector<std::int64_t>> open_;  // per row: ends of the slices that have begun, the outermost first
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  // The latest end that a row takes, which is that of its innermost slice: leaves of a binary tree whose inner nodes
  // have the larger of two.
  std::vector<std::int64_t> latest_;
  std::size_t leaves_ = 0;
};

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

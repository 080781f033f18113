#include "trace/nesting.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace orrery::trace {
namespace {

constexpr std::int64_t kAnyEnd = std::numeric_limits<std::int64_t>::max();  // what an empty row takes
constexpr std::int64_t kNoRow = std::numeric_limits<std::int64_t>::min();   // what a leaf without a row takes

}  // namespace

NestingRows::Row NestingRows::add(std::int64_t start, std::int64_t end) {
  close_until(start);
  // Nearly all go to the first row: calls of a thread nest.
  const bool fits_first = !open_.empty() && (open_[0].empty() || open_[0].back() >= end);
  const Row row = fits_first ? 0 : first_that_takes(end);
  if (row == open_.size()) {
    open_.emplace_back();
    if (open_.size() > leaves_) grow();
  }
  open_[row].push_back(end);
  endings_.push({end, row});
  set_room(row);
  return row;
}

void NestingRows::finish() { close_until(kAnyEnd); }

// On a row ends never grow from the outermost slice to the innermost, so that the next ending of a row is its innermost
// slice's.
void NestingRows::close_until(std::int64_t time) {
  for (; !endings_.empty() && endings_.top().end <= time; endings_.pop()) {
    const Row row = endings_.top().row;
    ended_(row, endings_.top().end);
    open_[row].pop_back();
    set_room(row);
  }
}

NestingRows::Row NestingRows::first_that_takes(std::int64_t end) const {
  if (open_.empty() || latest_[1] < end) return static_cast<Row>(open_.size());
  std::size_t node = 1;
  while (node < leaves_) node = latest_[2 * node] >= end ? 2 * node : 2 * node + 1;
  return static_cast<Row>(node - leaves_);
}

void NestingRows::set_room(Row row) {
  std::size_t node = leaves_ + row;
  latest_[node] = open_[row].empty() ? kAnyEnd : open_[row].back();
  for (node /= 2; node > 0; node /= 2) {
    const std::int64_t larger = std::max(latest_[2 * node], latest_[2 * node + 1]);
    if (latest_[node] == larger) return;
    latest_[node] = larger;
  }
}

void NestingRows::grow() {
  leaves_ = std::max<std::size_t>(1, 2 * leaves_);
  latest_.assign(2 * leaves_, kNoRow);
  for (Row row = 0; row < open_.size(); ++row)
    latest_[leaves_ + row] = open_[row].empty() ? kAnyEnd : open_[row].back();
  for (std::size_t node = leaves_; --node > 0;) latest_[node] = std::max(latest_[2 * node], latest_[2 * node + 1]);
}

LaneOrder::LaneOrder(const RankTrace& rank) : first_(rank.lanes.size() + 1, 0), events_(rank.event_count()) {
  for (const LaneIndex lane : rank.lane) ++first_[lane + 1];
  for (std::size_t l = 1; l < first_.size(); ++l) first_[l] += first_[l - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end());
  for (EventIndex e = 0; e < rank.event_count(); ++e) events_[next[rank.lane[e]]++] = e;
  const auto before = [&](EventIndex a, EventIndex b) {
    if (rank.start[a] != rank.start[b]) return rank.start[a] < rank.start[b];
    return rank.duration[a] != rank.duration[b] ? rank.duration[a] > rank.duration[b] : a < b;
  };
  for (std::size_t l = 0; l + 1 < first_.size(); ++l) {
    EventIndex* const begin = events_.data() + first_[l];
    EventIndex* const end = events_.data() + first_[l + 1];
    // Many recorders write a lane in this order already.
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }
}

Nesting nest_events(const RankTrace& rank) {
  Nesting nesting{Column<EventIndex>(rank.event_count(), kNoParent), Column<std::uint32_t>(rank.event_count(), 0)};
  const LaneOrder order(rank);
  std::vector<EventIndex> open;
  for (LaneIndex lane = 0; lane < rank.lanes.size(); ++lane) {
    open.clear();
    for (const EventIndex event : order.of(lane)) {
      // What ends before this event does is not around it, nor closer than it to any event that follows: whatever that
      // would be around, this one is around, too. So it is taken off for good, ends never grow from the bottom of the
      // stack to its top, and the top is the parent.
      while (!open.empty() && (rank.end(open.back()) < rank.end(event) || rank.end(open.back()) <= rank.start[event]))
        open.pop_back();
      if (!open.empty()) {
        nesting.parent[event] = open.back();
        nesting.depth[event] = nesting.depth[open.back()] + 1;
      }
      open.push_back(event);
    }
  }
  return nesting;
}

}  // namespace orrery::trace

#include "trace/nesting_rows.h"

#include <algorithm>
#include <limits>

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

}  // namespace orrery::trace

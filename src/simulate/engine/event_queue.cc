#include "simulate/engine/event_queue.h"

#include <algorithm>

namespace orrery::simulate {

void EventQueue::take(std::vector<Event>& events) {
  if (empty()) return;
  const std::size_t first = events.size(), bucket = bucket_of(next_time_);
  moving_.clear();
  moving_.swap(buckets_[bucket]);
  occupied_ &= ~(std::uint64_t{1} << bucket);
  last_time_ = next_time_;
  for (const Event& event : moving_) {
    if (event.time == last_time_) events.push_back(event);
    else put(event);
  }
  const auto by_place = [](const Event& a, const Event& b) { return a.is_before(b); };
  const auto begin = events.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(begin, events.end(), by_place)) std::sort(begin, events.end(), by_place);
  find_next_time();
}

// Lower buckets hold earlier times. The bucket looked through here is the one that the next take() empties.
void EventQueue::find_next_time() {
  next_time_ = kNever;
  if (occupied_ == 0) return;
  for (const Event& event : buckets_[static_cast<std::size_t>(std::countr_zero(occupied_))])
    next_time_ = std::min(next_time_, event.time);
}

}  // namespace orrery::simulate

#include "simulate/loggops/event_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace orrery::simulate::loggops {

std::uint32_t EventQueue::open_bucket(TimePs time) {
  Open& open = open_[place_of(time)];
  if (open.time == time) return open.bucket;
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(buckets_.size()));
    buckets_.emplace_back();
  }
  open = {time, unused_.back()};
  unused_.pop_back();
  due_.push({time, open.bucket});
  return open.bucket;
}

void EventQueue::push(TimePs time, const Event& event) {
  assert(time >= now_);
  if (time == now_ && !current_.events.empty() && event.before(current_.events.back())) {
    overtaking_.push(event);
    return;
  }
  Bucket& bucket = time == now_ ? current_ : buckets_[open_bucket(time)];
  bucket.in_order &= bucket.events.empty() || bucket.events.back().before(event);
  bucket.events.push_back(event);
}

void EventQueue::take(std::uint32_t number) {
  Bucket& bucket = buckets_[number];
  if (current_.events.empty()) {
    std::swap(current_, bucket);
  } else {
    current_.events.insert(current_.events.end(), bucket.events.begin(), bucket.events.end());
    current_.in_order = false;
  }
  bucket.events.clear();
  bucket.in_order = true;
  unused_.push_back(number);
}

bool EventQueue::advance() {
  if (due_.empty()) return false;
  current_.events.clear();
  current_.in_order = true;
  next_ = 0;
  now_ = due_.top().time;
  for (; !due_.empty() && due_.top().time == now_; due_.pop()) take(due_.top().bucket);
  if (Open& open = open_[place_of(now_)]; open.time == now_) open.time = -1;
  if (!current_.in_order)
    std::sort(current_.events.begin(), current_.events.end(),
              [](const Event& a, const Event& b) { return a.before(b); });
  return true;
}

bool EventQueue::pop(Event& event) {
  const bool bucket_done = next_ == current_.events.size();
  if (bucket_done && overtaking_.empty()) {
    if (!advance()) return false;
  } else if (!overtaking_.empty() && (bucket_done || overtaking_.top().before(current_.events[next_]))) {
    event = overtaking_.top();
    overtaking_.pop();
    return true;
  }
  event = current_.events[next_++];
  return true;
}

}  // namespace orrery::simulate::loggops

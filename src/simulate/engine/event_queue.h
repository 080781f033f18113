// What ends when, for activities whose end is known: a heap of plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/units.h"

namespace orrery::simulate {

/// An activity ends. Ordered by time, then rank, then activity: every activity ends once, so no two events are equal and the order is total.
struct Event {
  TimePs time = 0;
  std::uint32_t rank = 0;
  std::uint32_t activity = 0;

  [[nodiscard]] std::uint64_t place() const { return std::uint64_t{rank} << 32 | activity; }
  friend bool operator<(const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.place() < b.place(); }
};

/// A heap of which every node has four children: half the levels of a binary one, and four events are one cache line.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& top() const { return heap_.front(); }

  void push(const Event& event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kChildren;
      if (!(event < heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  void pop() {
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return;
    std::size_t at = 0;
    while (true) {
      const std::size_t first = at * kChildren + 1;
      if (first >= size) break;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < first + kChildren && child < size; ++child) {
        if (heap_[child] < heap_[least]) least = child;
      }
      if (!(heap_[least] < last)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = last;
  }

 private:
  static constexpr std::size_t kChildren = 4;

  std::vector<Event> heap_;
};

}  // namespace orrery::simulate

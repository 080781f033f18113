// What happens next: events by time, equal times by order.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "base/units.h"

namespace orrery::simulate::loggops {

/// Something that an operation wants to do at a time. `order` is given once per operation and message and never again:
/// it is a total order.
struct Event {
  enum class Kind : std::uint8_t {
    start,         ///< a send or a computation has all it waits for
    retry_start,   ///< the first in line for a processor (and interface) tries again
    post,          ///< a receive is posted
    arrive,        ///< the first byte of a send's message is there
    retry_arrive,  ///< the first in line of the messages that are there tries again
  };

  std::uint64_t order_and_kind;  ///< the kind takes the low three bits: orders are unique, so it never decides
  std::uint64_t operation;

  Event(std::uint64_t order, Kind kind, std::uint64_t op)
      : order_and_kind(order << 3 | static_cast<std::uint64_t>(kind)), operation(op) {}
  [[nodiscard]] std::uint64_t order() const { return order_and_kind >> 3; }
  [[nodiscard]] Kind kind() const { return static_cast<Kind>(order_and_kind & 7); }
  [[nodiscard]] bool before(const Event& other) const { return order_and_kind < other.order_and_kind; }
};

/// Parallel programs do the same at the same time: events of equal time are collected in a bucket, mostly already in
/// order, and only the buckets are in a heap. Which bucket is open for a time is looked up in a small table; if another
/// time has taken its place there, the time gets a second bucket, and both are joined when it comes. Where all times
/// differ this is a heap with a little more to do.
class EventQueue {
 public:
  /// `time` >= now().
  void push(TimePs time, const Event& event);
  /// False if there are no more events. Otherwise now() is the time of the one taken.
  bool pop(Event& event);
  [[nodiscard]] TimePs now() const { return now_; }
  /// The event that comes `places` after the next one, if it is known to be of this moment; else null. A hint: others
  /// may come before.
  [[nodiscard]] const Event* ahead(std::size_t places) const {
    return next_ + places < current_.events.size() ? &current_.events[next_ + places] : nullptr;
  }

 private:
  struct Bucket {
    std::vector<Event> events;
    bool in_order = true;
  };
  struct Open {
    TimePs time = -1;
    std::uint32_t bucket = 0;
  };
  struct Due {
    TimePs time;
    std::uint32_t bucket;
    bool operator<(const Due& other) const { return time > other.time; }  // the least on top
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return b.before(a); }
  };
  static constexpr std::size_t kOpen = 256;

  static std::size_t place_of(TimePs time) { return static_cast<std::uint64_t>(time) * 0x9e3779b97f4a7c15u >> 56; }
  std::uint32_t open_bucket(TimePs time);
  bool advance();
  void take(std::uint32_t bucket);

  TimePs now_ = 0;
  Bucket current_;                                                    // of now_
  std::size_t next_ = 0;                                              // in current_
  std::priority_queue<Event, std::vector<Event>, Later> overtaking_;  // of now_: pushed after others of a later order
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> unused_;
  std::priority_queue<Due> due_;
  std::array<Open, kOpen> open_;
};

}  // namespace orrery::simulate::loggops

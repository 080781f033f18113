// What a simulated event does, as data: no closures, no allocation. And what of it is due at a tick of a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/event_queue.h"

namespace orrery::simulate::astra {

enum class ActionKind : std::uint8_t {
  none,
  // Posted to the global queue.
  rank_tick,  ///< run the list of rank `a` for this tick
  arrival,    ///< message `a` reached its destination or the next vertex on its way
  link_free,  ///< link `a` may carry the next message
  // In the list of a rank, or at the end of a message.
  bus_event,          ///< of the bus of rank `a`: LocalBus knows what `b` is
  endpoint_passed,    ///< stream `a`: a packet passed the endpoint; then `value` ns of reduction, if not negative
  packet_ready,       ///< stream `a`: a packet may be sent
  packet_received,    ///< stream `a`
  node_done,          ///< node `b` of rank `a`
  custom_done,        ///< node `b` of run `a` of a custom collective
  memory_released,    ///< memory `a` may serve the next transaction
  send_granted,       ///< rendezvous: the deferred message `a` may be sent
  receive_requested,  ///< rendezvous: the deferred receive `a` may be posted
};

/// In the global queue `value` is the time at which the event was caused, and `b` of an arrival tells from where (0:
/// from the same rank).
struct Action {
  ActionKind kind = ActionKind::none;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::int64_t value = 0;
};

// Per rank, what is due at a tick. ASTRA-sim posts one global event for the first registration of a (rank, tick); later
// ones join that list and run at the place of the first, also those added while it runs. Who sends first at equal times
// depends on it.

using Queue = EventQueue<Action>;

class TickLists {
 public:
  TickLists(Queue& queue, std::size_t ranks) : queue_(queue), lists_(ranks) {}

  /// `action` of `rank` is due in `delay_ns`.
  void add(std::uint32_t rank, std::int64_t delay_ns, const Action& action) {
    const std::int64_t tick = queue_.now() + delay_ns;
    const std::uint32_t entry = allocate(action);
    for (List& list : lists_[rank]) {
      if (list.tick != tick) continue;
      if (list.head == kNone) list.head = entry;
      else entries_[list.tail].next = entry;
      list.tail = entry;
      return;
    }
    lists_[rank].push_back({tick, entry, entry});
    queue_.push(tick, {ActionKind::rank_tick, rank, 0, 0});
  }

  /// Hands the next action due now to `action`; false, and the list is gone, when there is none left.
  bool next(std::uint32_t rank, Action& action) {
    std::vector<List>& lists = lists_[rank];
    std::size_t i = 0;
    while (lists[i].tick != queue_.now()) ++i;
    const std::uint32_t entry = lists[i].head;
    if (entry == kNone) {
      lists[i] = lists.back();
      lists.pop_back();
      return false;
    }
    action = entries_[entry].action;
    lists[i].head = entries_[entry].next;
    entries_[entry].next = free_;
    free_ = entry;
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Entry {
    Action action;
    std::uint32_t next;
  };
  struct List {
    std::int64_t tick;
    std::uint32_t head, tail;
  };

  std::uint32_t allocate(const Action& action) {
    if (free_ == kNone) {
      entries_.push_back({action, kNone});
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t entry = free_;
    free_ = entries_[entry].next;
    entries_[entry] = {action, kNone};
    return entry;
  }

  Queue& queue_;
  std::vector<std::vector<List>> lists_;  // of a rank: a handful of ticks
  std::vector<Entry> entries_;
  std::uint32_t free_ = kNone;
};

}  // namespace orrery::simulate::astra

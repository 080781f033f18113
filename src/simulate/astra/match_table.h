// Which receive gets which message: the i-th message of a (tag, source, target, size) goes to the i-th receive posted
// for it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "simulate/astra/actions.h"

namespace orrery::simulate::astra {

struct MatchKey {
  std::int64_t tag;
  std::int64_t size;
  std::uint32_t source;
  std::uint32_t target;

  friend bool operator==(const MatchKey&, const MatchKey&) = default;
};

/// Not workload/message_matcher.h, since ASTRA-sim's rule is another: the size is part of what is matched, so that a
/// receive of another size waits for ever instead of being an error, and there are no wildcards and no roles.
///
/// Open addressing; an entry lives only while messages or receives are waiting, so that the table stays as small as
/// what is in flight. Messages of one key arrive in the order in which they were sent, so that counting is enough.
class MatchTable {
 public:
  MatchTable() : slots_(1024) {}

  /// A receive is posted. True: its message has arrived already. False: `action` waits for it.
  bool post(const MatchKey& key, const Action& action) {
    Entry& entry = slots_[find_or_add(key)];
    if (entry.arrived > 0) {
      if (--entry.arrived == 0) remove(key);
      return true;
    }
    const std::uint32_t waiter = allocate(action);
    if (entry.head == kNone) entry.head = waiter;
    else waiters_[entry.tail].next = waiter;
    entry.tail = waiter;
    return false;
  }

  /// A message arrives. True: `action` is that of the receive which waited for it.
  bool take_waiter(const MatchKey& key, Action& action) {
    const std::size_t slot = find(key);
    if (slot == kMissing || slots_[slot].head == kNone) return false;
    Entry& entry = slots_[slot];
    const std::uint32_t waiter = entry.head;
    action = waiters_[waiter].action;
    entry.head = waiters_[waiter].next;
    waiters_[waiter].next = free_;
    free_ = waiter;
    if (entry.head == kNone) remove(key);
    return true;
  }

  /// It arrived and nobody waits.
  void keep_arrival(const MatchKey& key) { ++slots_[find_or_add(key)].arrived; }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMissing = ~std::size_t{0};

  struct Entry {
    MatchKey key{};
    std::uint32_t arrived = 0;   // Invariant: either this is 0 or nobody waits
    std::uint32_t head = kNone;  // receives that wait
    std::uint32_t tail = kNone;
    bool used = false;
  };
  struct Waiter {
    Action action;
    std::uint32_t next;
  };

  [[nodiscard]] std::size_t home_of(const MatchKey& key) const {
    std::uint64_t hash = static_cast<std::uint64_t>(key.tag) * 0x9E3779B97F4A7C15u;
    hash ^= (static_cast<std::uint64_t>(key.source) << 32 | key.target) * 0xC2B2AE3D27D4EB4Fu;
    hash ^= static_cast<std::uint64_t>(key.size) * 0x165667B19E3779F9u;
    hash ^= hash >> 29;
    return (hash * 0x9E3779B97F4A7C15u) >> (64 - std::countr_zero(slots_.size()));
  }

  [[nodiscard]] std::size_t find(const MatchKey& key) const {
    for (std::size_t slot = home_of(key); slots_[slot].used; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].key == key) return slot;
    }
    return kMissing;
  }

  std::size_t find_or_add(const MatchKey& key) {
    std::size_t slot = home_of(key);
    for (; slots_[slot].used; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].key == key) return slot;
    }
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
      return find_or_add(key);
    }
    ++used_;
    slots_[slot] = {key, 0, kNone, kNone, true};
    return slot;
  }

  void remove(const MatchKey& key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = find(key);
    for (std::size_t at = (hole + 1) & mask; slots_[at].used; at = (at + 1) & mask) {
      const std::size_t home = home_of(slots_[at].key);
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    }
    slots_[hole].used = false;
    --used_;
  }

  void grow() {
    std::vector<Entry> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Entry& entry : old) {
      if (!entry.used) continue;
      std::size_t slot = home_of(entry.key);
      while (slots_[slot].used) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = entry;
    }
  }

  std::uint32_t allocate(const Action& action) {
    if (free_ == kNone) {
      waiters_.push_back({action, kNone});
      return static_cast<std::uint32_t>(waiters_.size() - 1);
    }
    const std::uint32_t waiter = free_;
    free_ = waiters_[waiter].next;
    waiters_[waiter] = {action, kNone};
    return waiter;
  }

  std::vector<Entry> slots_;
  std::size_t used_ = 0;
  std::vector<Waiter> waiters_;
  std::uint32_t free_ = kNone;
};

}  // namespace orrery::simulate::astra

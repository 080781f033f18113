// Sending and receiving: a network, the matching of messages with receives, and the rendezvous protocol.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "simulate/astra/actions.h"
#include "simulate/astra/fold.h"
#include "simulate/astra/network.h"

namespace orrery::simulate::astra {

// Which receive gets which message: the i-th message of a (tag, source, target, size) goes to the i-th receive posted
// for it.

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

/// Who carries out what an event says.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  virtual void run(const Action& action) = 0;
  /// Ends the simulation: what is asked for cannot be done.
  virtual void fail(Error error) = 0;
};

class Transport {
 public:
  /// `contended`: messages queue at links. `fold`: null, or only the representative rank is simulated.
  Transport(const machine::AstraSystem& system, const Grid& grid, Queue& queue, Dispatcher& dispatcher, bool contended,
            const Fold* fold);

  /// `when_sent` runs when the message has arrived at `target`.
  void send(std::uint32_t source, std::uint32_t target, std::int64_t size, std::int64_t tag, const Action& when_sent);
  /// `when_received` runs when the message has arrived; not before now, also if it did earlier.
  void receive(std::uint32_t source, std::uint32_t target, std::int64_t size, std::int64_t tag,
               const Action& when_received);

  // Events.
  void arrival(std::uint32_t message);
  void link_free(std::uint32_t link) { aware_->link_free(messages_, link); }
  void send_granted(std::uint32_t deferred);
  void receive_requested(std::uint32_t deferred);

  [[nodiscard]] const MatchTable& matches() const { return matches_; }
  [[nodiscard]] const Message& message(std::uint32_t number) const { return messages_[number]; }
  void record_links(LinkRecorder* recorder) {
    if (aware_) aware_->record_links(recorder);
  }
  /// Null without contention: then there are no links.
  [[nodiscard]] const AwareNetwork* links() const { return aware_ ? &*aware_ : nullptr; }

 private:
  struct Deferred {
    MatchKey key;
    Action action;
  };

  void transmit(const MatchKey& key, const Action& when_sent);
  void post(const MatchKey& key, const Action& when_received);
  std::uint32_t defer(const MatchKey& key, const Action& action);

  Queue& queue_;
  Dispatcher& dispatcher_;
  const Fold* fold_;
  bool rendezvous_;
  UnawareNetwork unaware_;
  std::optional<AwareNetwork> aware_;
  MatchTable matches_;
  std::vector<Message> messages_;
  std::uint32_t free_message_ = ~0u;
  std::vector<Deferred> deferred_;
  std::vector<std::uint32_t> free_deferred_;
};

}  // namespace orrery::simulate::astra

// Where a simulation stands: plain values that the run changes and the explanation of a deadlock reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "base/units.h"
#include "simulate/engine/rank_classes.h"
#include "simulate/engine/window_supply.h"
#include "simulate/event_queue.h"
#include "simulate/schedule.h"
#include "workload/agreement.h"

namespace orrery::simulate {

// Memory for the counters of windows, which come and go.

/// Pieces are cut from large blocks one after the other. A block is used again when all its pieces were given back, or
/// goes back to the system: small pieces of the heap would stay with the process, beside what a run is turned into
/// afterwards.
class CounterSlabs {
 public:
  struct Piece {
    std::span<std::uint32_t> counters;  ///< not initialised
    std::uint32_t slab = 0;
  };

  Piece take(std::size_t count);
  void give_back(const Piece& piece);

 private:
  static constexpr std::size_t kSlabCounters = std::size_t{1} << 20;

  struct Slab {
    Column<std::uint32_t> counters;
    std::size_t used = 0;      ///< counters from the front
    std::uint64_t pieces = 0;  ///< that were not given back
  };

  std::vector<Slab> slabs_;
  std::uint32_t current_ = 0;
};

inline constexpr std::uint64_t kNoActivity = ~std::uint64_t{0};
/// In the queue, kStreamWakes - s instead of an activity that ends: stream s of the rank is to be looked at, which
/// could not be done ahead of time.
inline constexpr std::uint64_t kStreamWakes = kNoActivity - 1;
inline constexpr std::uint32_t kMostLookaheadStreams = 64;  ///< of a rank: those that a word of bits has room for

/// The shorter of two durations of which 0 was not recorded.
inline TimePs shorter_recorded(TimePs a, TimePs b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/// An activity of a class of ranks, counted through the windows of its program.
struct RankActivity {
  std::uint32_t rank;
  std::uint64_t activity;

  /// The order of what ends at one moment. Every activity ends once, so that it is total.
  [[nodiscard]] bool is_before(const RankActivity& other) const {
    return rank != other.rank ? rank < other.rank : activity < other.activity;
  }
};
/// What ends when, of activities whose end is known.
using EndQueue = MomentQueue<RankActivity>;

/// Activities that wait for a slot, smallest first.
class ReadySet {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  void push(std::uint64_t activity) {
    heap_.push_back(activity);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  std::uint64_t pop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint64_t activity = heap_.back();
    heap_.pop_back();
    return activity;
  }

 private:
  std::vector<std::uint64_t> heap_;
};

/// A window that a rank is in: as long as one of its activities has not ended. 4 bytes per activity.
struct LiveWindow {
  /// In `waiting`, instead of a number: it has started; it has ended, and those that waited for that were told.
  static constexpr std::uint32_t kStarted = ~std::uint32_t{0} - 1, kEnded = ~std::uint32_t{0};

  SharedWindow planned;
  std::uint64_t first = 0;  ///< its first activity, counted through the program
  std::span<std::uint32_t>
      waiting;             ///< per activity: dependencies that have not ended, or not started where that is enough
  std::uint32_t slab = 0;  ///< of `waiting`
  bool entered = false;    ///< one has started
  std::size_t left = 0;    ///< activities that have not ended

  [[nodiscard]] bool has(std::uint64_t activity) const { return activity - first < waiting.size(); }
  [[nodiscard]] const PlannedActivity& plan(std::uint64_t activity) const {
    return planned->plan.activities[activity - first];
  }
  [[nodiscard]] bool has_started(std::uint64_t activity) const { return waiting[activity - first] >= kStarted; }
  [[nodiscard]] bool has_ended(std::uint64_t activity) const { return waiting[activity - first] == kEnded; }
};

/// One executed rank. What every activity touches lies together, in two cache lines.
struct alignas(64) RankState {
  std::vector<LiveWindow> windows;  ///< in order; mostly one or two
  TimePs counted_until = 0;         ///< what `use` covers
  RankUse use;
  std::uint32_t free_slots[kSlotKinds] = {};
  std::uint32_t computing = 0;      ///< compute activities running
  std::uint32_t communicating = 0;  ///< messages and collectives running
  bool touched = false;             ///< has a place in the list of ranks to dispatch
  bool is_complete = false;         ///< there are no windows after these
  bool has_changes = false;         ///< of computing and communicating, that lookahead knows and are yet to come
  ReadySet ready[kSlotKinds];
  std::uint32_t slots[kSlotKinds] = {};

  void count_until(TimePs now) {
    const TimePs passed = now - counted_until;
    counted_until = now;
    if (computing > 0) use.compute_ps += passed;
    if (communicating > 0) use.communication_ps += passed;
    if (communicating > 0 && computing == 0) use.exposed_ps += passed;
  }
  /// Null if it was retired, or is not there yet.
  [[nodiscard]] const LiveWindow* find(std::uint64_t activity) const {
    for (const LiveWindow& window : windows) {
      if (window.has(activity)) return &window;
    }
    return nullptr;
  }
  [[nodiscard]] LiveWindow& window(std::uint64_t activity) { return *const_cast<LiveWindow*>(find(activity)); }
  /// The activity that is number `place` of a stream; kNoActivity if it is in none of the windows.
  [[nodiscard]] std::uint64_t on_stream(std::uint32_t stream, std::uint64_t place) const;
  /// The same of a channel.
  [[nodiscard]] std::uint64_t on_channel(std::uint32_t channel, std::uint64_t place) const;
};

/// One communicator of one executed rank.
struct StreamState {
  std::uint64_t started = 0;         ///< activities from the front of the stream
  std::uint64_t next = kNoActivity;  ///< the one after them, once it was looked up
  bool is_running = false;           ///< the last of them has not ended
  bool touched = false;
};

/// A collective for which somebody has arrived and that has not ended.
struct OpenCollective {
  std::uint64_t first_activity = kNoActivity;  ///< of the first class of the bundle, once that has arrived
  std::uint32_t arrived = 0;                   ///< classes
  std::uint32_t finished = 0;                  ///< communicators
  std::uint32_t last_place = 0;  ///< in the group: the first of those who arrived last, if causes are told
  TimePs recorded_ps = 0;        ///< the shortest so far
  CollectiveUse use;
  bool is_over = false;
};

/// Those of a bundle, by place, from the first that is not over on. Mostly there is one, and then nothing is allocated
/// for the next.
class OpenCollectives {
 public:
  [[nodiscard]] bool empty() const { return begin_ == open_.size(); }
  /// `place` is not before the first.
  OpenCollective& at(std::uint64_t place) {
    const std::uint64_t i = place - first_ + begin_;
    if (i >= open_.size()) open_.resize(i + 1);
    return open_[i];
  }
  /// Those at the front that are over are not there any more.
  void drop_over() {
    for (; !empty() && open_[begin_].is_over; ++begin_) ++first_;
    if (empty()) open_.clear(), begin_ = 0;
    if (2 * begin_ < open_.size() || begin_ < kMostDropped) return;
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  /// While it is empty.
  void go_on_from(std::uint64_t place) { first_ = place; }

 private:
  static constexpr std::size_t kMostDropped = 64;  // that are kept where half of all are such

  std::uint64_t first_ = 0;
  std::size_t begin_ = 0;  // what is before it was dropped
  std::vector<OpenCollective> open_;
};

/// What both sides of a message call it: which channel of which sender, and its number there.
struct MessageKey {
  std::uint64_t line = 0;  ///< RunState::first_channel of the sender's class and the channel
  std::uint64_t place = 0;

  friend bool operator==(const MessageKey&, const MessageKey&) = default;
};

struct MessageKeyHash {
  std::size_t operator()(const MessageKey& key) const {
    const std::uint64_t hash = key.line * 0x9e3779b97f4a7c15u ^ key.place * 0xc2b2ae3d27d4eb4fu;
    return hash ^ hash >> 29;
  }
};

/// A message between an executed rank and its partner, from the moment one side is ready until both have ended.
struct MessageState {
  std::uint64_t send = kNoActivity;  ///< once it is ready
  std::uint64_t recv = kNoActivity;
  std::uint32_t sender = 0;    ///< a class, once the send is ready
  std::uint32_t receiver = 0;  ///< a class, once the receive is ready
  std::uint32_t channel = 0;   ///< of the sender
  std::uint32_t finished = 0;  ///< how many of the class have arrived
  std::uint64_t order = 0;     ///< among the sends of the sender
  std::int64_t bytes = 0;      ///< as the send says
  TimePs recorded_ps = 0;
  TimePs send_ps = 0;  ///< when the send was ready; of an eager one, when it had ended and the message left
  bool arrived = false;
};

struct RunState {
  RankClasses classes;
  Bundles bundles;
  std::vector<std::uint64_t> first_channel;  ///< per class, and the total
  CounterSlabs counters;                     ///< of the windows
  std::vector<RankState> ranks;              ///< per class
  std::vector<StreamState> streams;          ///< by Bundles::first_stream
  std::vector<OpenCollectives> collectives;  ///< per bundle
  std::unordered_map<MessageKey, MessageState, MessageKeyHash> messages;
  std::uint64_t done = 0;        ///< activities
  std::uint64_t unfinished = 0;  ///< classes
  TimePs now = 0;
  bool overflow = false;  ///< something is known to end after kMaxSimulatedPs

  /// Nothing has started.
  RunState(const workload::Membership& membership, RankClasses rank_classes);

  /// What a rank, which is no class here, has in one of its windows.
  [[nodiscard]] workload::Side side(std::uint32_t rank, std::uint64_t activity) const;
  [[nodiscard]] workload::Side side_on_stream(std::uint32_t rank, std::uint32_t stream, std::uint64_t place) const;
};

inline Error takes_too_long() { return {.message = "the simulation takes longer than 26 days"}; }

/// Collective number `place` of a communicator, all of whose members have arrived, so that the activity of each is in
/// one of its windows: what `member`, a rank, has of it.
workload::Side member_side(const workload::Membership& membership, const RunState& state,
                           const Communicator& communicator, std::uint32_t member, std::uint64_t place);

/// The rules of workload/agreement.h for it, once for each program in the bundle.
Status check_agreement(const workload::Membership& membership, const RunState& state, const Communicator& communicator,
                       const Bundle& bundle, std::uint64_t place);

/// Why a run cannot go on (deadlock.cc): to be called when nothing can happen and activities remain. Every one of them
/// then waits for another: for a partner that has not arrived, for a dependency, or for its turn on its communicator.
/// Following that leads into a cycle, or to one that waits for whoever comes, and nobody does. The Error tells it:
///
///   deadlock after 1.20 us with 3 of 8 activities done: rank 0, node 2 (recv) waits for rank 1, node 5 (send), which
///   comes after rank 1, node 4 (recv), which waits for rank 0, node 3 (send), which comes after the first: a cycle
///
/// `total`: activities of the executed ranks; 0: not known.
Error explain_deadlock(const workload::Membership& membership, const RunState& state, std::uint64_t total);

}  // namespace orrery::simulate

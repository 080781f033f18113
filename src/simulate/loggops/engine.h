// The LogGOPS simulation proper: a workload of computations and messages, event by event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/result.h"
#include "simulate/event_queue.h"
#include "simulate/loggops/operations.h"
#include "simulate/loggops/parameters.h"
#include "simulate/schedule.h"
#include "workload/message_matcher.h"

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
  [[nodiscard]] bool is_before(const Event& other) const { return order_and_kind < other.order_and_kind; }
};

/// Operations of a rank that wait for the same processor and interface.
///
/// LogGOPSim puts every operation that finds its processor busy back into the queue of events, to try again when it is
/// free; n operations try n times each. Since whoever waits for the same processor and interface tries again at the
/// same time, in the same order, only the first in line needs to: the outcome is the same, and each tries about once.
class WaitingLine {
 public:
  static constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] std::uint64_t first_order() const { return waiting_.empty() ? kNobody : waiting_.front().order; }
  [[nodiscard]] OpIndex first() const { return waiting_.front().op; }

  /// True if it is now the first in line, so that an event must be made for it.
  bool join(std::uint64_t order, OpIndex op) {
    const bool is_first = order < first_order();
    waiting_.push_back({order, op});
    std::push_heap(waiting_.begin(), waiting_.end(), later);
    return is_first;
  }
  void leave() {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    waiting_.pop_back();
  }

 private:
  struct Waiting {
    std::uint64_t order;
    OpIndex op;
  };
  static bool later(const Waiting& a, const Waiting& b) { return a.order > b.order; }

  std::vector<Waiting> waiting_;  // a heap: almost always joined at its end
};

/// Used once. Deterministic: events are in the order of their time, equal times in the order in which operations became
/// free.
class Engine {
 public:
  /// `operations` is used up, and must outlive the engine. `unstable_order`: see Options::compat_loggopsim.
  Engine(Operations& operations, const Parameters& parameters, bool unstable_order);

  /// Runs until nothing happens any more. An Error if time passes 53 days. Whether all operations are done is not
  /// checked here.
  Status run();

  [[nodiscard]] bool all_done() const { return done_ == operations_.size() && kept_ == 0; }
  [[nodiscard]] std::uint64_t undone() const { return operations_.size() - done_; }
  [[nodiscard]] std::uint64_t event_count() const {
    return next_order_;
  }  ///< operations and messages, as LogGOPSim counts them
  [[nodiscard]] TimePs now() const { return now_; }
  [[nodiscard]] const workload::MessageMatcher& matcher() const { return matcher_; }
  /// After run(): whether a receive was posted and is still without a message.
  [[nodiscard]] bool is_waiting(OpIndex recv) const {
    return operations_[recv].waits_for == 0 && operations_[recv].end_ps < 0;
  }
  /// After run(): when every operation started and ended.
  [[nodiscard]] Schedule schedule() const;

 private:
  using Kind = Operation::Kind;

  // Of one rank, side by side: when its processors are free, its interfaces to send, and its interfaces to receive.
  [[nodiscard]] TimePs& cpu_free(std::uint32_t rank, const Operation& op) {
    return free_[rank * free_per_rank_ + op.cpu];
  }
  [[nodiscard]] TimePs& free_to_send(std::uint32_t rank, const Operation& op) {
    return free_[rank * free_per_rank_ + cpus_ + op.nic];
  }
  [[nodiscard]] TimePs& free_to_receive(std::uint32_t rank, const Operation& op) {
    return free_[rank * free_per_rank_ + cpus_ + nics_ + op.nic];
  }
  // Where who waits for them stands in line.
  [[nodiscard]] std::size_t cpu_at(std::uint32_t rank, const Operation& op) const { return rank * cpus_ + op.cpu; }
  [[nodiscard]] std::size_t line_at(std::uint32_t rank, const Operation& op) const {
    return cpu_at(rank, op) * nics_ + op.nic;
  }
  [[nodiscard]] TimePs free_to_start(const Operation& op);
  [[nodiscard]] TimePs free_to_arrive(const Operation& op);

  void handle(const Event& event);
  void wake_first(WaitingLine& line, TimePs free, Event::Kind kind);

  void start(OpIndex i);
  void start_send(OpIndex i);
  void post(OpIndex recv);
  void arrive(OpIndex send);
  void match(OpIndex send, OpIndex recv);
  void prefetch() const;

  void has_started(OpIndex i, Operation& op);
  void has_ended(OpIndex i, Operation& op, TimePs end);
  void count_down(OpIndex i, TimePs at);
  void schedule_freed();

  Operations& operations_;
  Parameters parameters_;
  bool unstable_order_;
  workload::MessageMatcher matcher_;
  EventQueue<Event> events_;
  std::size_t cpus_, nics_, free_per_rank_;
  std::vector<TimePs> free_;
  std::vector<WaitingLine> starting_, computing_, arriving_;
  std::vector<OpIndex> freed_;  // by the present event
  TimePs now_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint64_t done_ = 0, kept_ = 0;
};

}  // namespace orrery::simulate::loggops

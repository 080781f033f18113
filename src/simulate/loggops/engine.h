// The LogGOPS simulation proper: a workload of computations and messages, event by event.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "simulate/loggops/event_queue.h"
#include "simulate/loggops/operations.h"
#include "simulate/loggops/parameters.h"
#include "simulate/loggops/waiting_line.h"
#include "simulate/schedule.h"
#include "workload/message_matcher.h"

namespace orrery::simulate::loggops {

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
  EventQueue events_;
  std::size_t cpus_, nics_, free_per_rank_;
  std::vector<TimePs> free_;
  std::vector<WaitingLine> starting_, computing_, arriving_;
  std::vector<OpIndex> freed_;  // by the present event
  TimePs now_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint64_t done_ = 0, kept_ = 0;
};

}  // namespace orrery::simulate::loggops

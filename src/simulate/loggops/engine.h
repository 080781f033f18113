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

/// Used once. Deterministic: events are in the order of their time, equal times in the order in which operations became free.
class Engine {
 public:
  /// `operations` is used up, and must outlive the engine. `unstable_order`: see Options::compat_loggopsim.
  Engine(Operations& operations, const Parameters& parameters, bool unstable_order);

  /// Runs until nothing happens any more. An Error if time passes 53 days. Whether all operations are done is not checked here.
  Status run();

  [[nodiscard]] bool all_done() const { return done_ == operations_.size() && kept_ == 0; }
  [[nodiscard]] std::uint64_t undone() const { return operations_.size() - done_; }
  [[nodiscard]] std::uint64_t event_count() const { return next_order_; }  ///< operations and messages, as LogGOPSim counts them
  [[nodiscard]] TimePs now() const { return now_; }
  [[nodiscard]] const workload::MessageMatcher& matcher() const { return matcher_; }
  /// After run(): whether a receive was posted and is still without a message.
  [[nodiscard]] bool is_waiting(OpIndex recv) const { return operations_[recv].waits_for == 0 && schedule_.end_ps[recv] < 0; }
  Schedule take_schedule() { return std::move(schedule_); }

 private:
  using Kind = Operation::Kind;

  // Where an operation or message of cpu and nic runs on a rank.
  [[nodiscard]] std::size_t cpu_at(std::uint32_t rank, const Operation& op) const { return rank * cpus_ + op.cpu; }
  [[nodiscard]] std::size_t nic_at(std::uint32_t rank, const Operation& op) const { return rank * nics_ + op.nic; }
  [[nodiscard]] std::size_t line_at(std::uint32_t rank, const Operation& op) const { return cpu_at(rank, op) * nics_ + op.nic; }
  [[nodiscard]] TimePs free_to_start(const Operation& op) const;
  [[nodiscard]] TimePs free_to_arrive(const Operation& op) const;

  void handle(const Event& event);
  void wake_first(WaitingLine& line, TimePs free, Event::Kind kind);

  void start(OpIndex i);
  void start_send(OpIndex i);
  void post(OpIndex recv);
  void arrive(OpIndex send);
  void match(OpIndex send, OpIndex recv);
  void number_channels();
  [[nodiscard]] workload::Envelope envelope_of(OpIndex message) const;

  void has_started(OpIndex i);
  void has_ended(OpIndex i, TimePs end);
  void count_down(OpIndex i, TimePs at);
  void schedule_freed();

  Operations& operations_;
  Parameters parameters_;
  bool unstable_order_;
  workload::MessageMatcher matcher_;
  EventQueue events_;
  Schedule schedule_;                // start_ps of what has not started: when the last operation it waits for lets it
  std::vector<TimePs> received_ps_;  // by send: when its message was taken in, once it was
  std::size_t cpus_, nics_;
  std::vector<TimePs> cpu_free_, nic_free_to_send_, nic_free_to_receive_;
  std::vector<WaitingLine> starting_, computing_, arriving_;
  std::vector<OpIndex> freed_;  // by the present event
  TimePs now_ = 0;
  std::uint64_t next_order_ = 0;
  std::uint64_t done_ = 0, kept_ = 0;
};

}  // namespace orrery::simulate::loggops

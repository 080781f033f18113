// The loop of the engine: one clock, one queue, one network model.
#pragma once

#include <vector>

#include "simulate/engine/event_queue.h"
#include "simulate/engine/run_state.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

class Run {
 public:
  /// Executes ranks 0 to `rank_count` - 1. If that is not all of them they stand for the others: a collective then starts when those that are
  /// executed have arrived.
  Run(const workload::Workload& workload, const JobPlan& plan, NetworkModel& network, const EngineOptions& options,
      std::uint32_t rank_count);

  /// All activities of the executed ranks done, or an Error. To be called once.
  Result<Schedule> execute();

 private:
  struct Place {
    std::uint32_t rank;
    std::uint32_t activity;
  };

  Status begin();
  Status settle();
  Status advance_to(TimePs time);
  Status take_finished_operations();
  void take_ended_activities();
  Status start_operations();
  Status start_operation(OpId id);

  [[nodiscard]] const ProgramPlan& plan_of(std::uint32_t rank) const { return *program_plans_[rank]; }
  void make_ready(std::uint32_t rank, std::uint32_t activity);
  void start(std::uint32_t rank, std::uint32_t activity, Resource resource);
  void finish(std::uint32_t rank, std::uint32_t activity);
  void note_start(std::uint32_t rank, std::uint32_t activity);
  void release_successors();
  void schedule_end(std::uint32_t rank, std::uint32_t activity, TimePs duration);
  void count_use(std::uint32_t rank);

  void touch_rank(std::uint32_t rank);
  void touch_stream(std::uint32_t rank, std::uint32_t stream);
  void fill_slots(std::uint32_t rank);
  void fill_stream(std::uint32_t rank, std::uint32_t stream);
  void dispatch();

  void arrive(std::uint32_t rank, std::uint32_t activity);
  void finish_collective(OpId id);
  [[nodiscard]] const Communicator& communicator_of(OpId collective) const;
  [[nodiscard]] std::uint32_t message_of(std::uint32_t rank, std::uint32_t activity) const;
  [[nodiscard]] bool is_eager(const Message& message) const { return message.bytes <= options_.eager_limit_bytes; }
  void start_message_side(std::uint32_t rank, std::uint32_t activity, bool is_send);
  void finish_message(std::uint32_t number);
  void report_progress();

  const workload::Workload& workload_;
  const JobPlan& plan_;
  NetworkModel& network_;
  const EngineOptions& options_;
  const std::uint32_t rank_count_;
  std::vector<const ProgramPlan*> program_plans_;  // per executed rank
  RunState state_;
  EventQueue queue_;
  std::vector<Event> events_;   // scratch
  std::vector<Place> ended_;    // at this moment; their successors are not released yet
  std::vector<Place> started_;  // the same of those that others may start with
  std::vector<OpId> starting_;  // at this moment
  std::vector<OpId> finished_;  // scratch
  std::vector<std::uint32_t> touched_ranks_;
  std::vector<Place> touched_streams_;  // rank and stream
  std::uint64_t next_report_ = 0;
  std::uint32_t idle_advances_ = 0;  // of the network without anything finished or time passed
  TimePs network_time_ = kNotYet;    // up to which the network has been moved
  bool overflow_ = false;
};

}  // namespace orrery::simulate

// The loop of the engine: one clock, one queue, one network model.
#pragma once

#include <vector>

#include "simulate/engine/event_queue.h"
#include "simulate/engine/run_state.h"
#include "simulate/network_model.h"
#include "workload/message_matcher.h"

namespace orrery::simulate {

class Run {
 public:
  /// Executes the first rank of every class; it stands for the others. Every operation of every rank is started in the network.
  Run(const JobPlan& plan, NetworkModel& network, const EngineOptions& options, RankClasses classes);

  /// All activities of the executed ranks done, or an Error. To be called once. The schedule is that of the classes: activities and ranks of
  /// the first members, collectives by bundle.
  Result<Schedule> execute();

  /// After an Error: whether it was that the operations of one class did not end together, so that its ranks are not alike.
  [[nodiscard]] bool found_unlike() const { return unlike_; }
  [[nodiscard]] const RunState& state() const { return state_; }

 private:
  /// `rank` is a class here and in everything below, unless it is said otherwise.
  struct Place {
    std::uint32_t rank;
    std::uint32_t activity;
  };
  /// A side of a message to a rank that takes messages as they are posted. (Then every rank is a class.)
  struct PostedSide {
    std::uint32_t receiver;
    bool is_recv;
    std::uint32_t rank;
    std::uint32_t order;  ///< in the program
    std::uint32_t activity;

    auto operator<=>(const PostedSide&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
  };

  Status begin();
  Status settle();
  Status advance_to(TimePs time);
  Status take_finished_operations();
  void take_ended_activities();
  Status start_operations();
  Status start_operation(OpId id);
  Status start_collective(OpId id);
  Status check_received() const;

  [[nodiscard]] std::uint32_t first_of(std::uint32_t rank) const { return state_.classes.first(rank); }
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
  void collective_ended(OpId id);
  [[nodiscard]] std::uint32_t communicator_of(OpId collective) const;

  [[nodiscard]] bool is_eager(std::int64_t bytes) const { return bytes <= options_.eager_limit_bytes; }
  [[nodiscard]] std::int64_t bytes_of(std::uint32_t rank, std::uint32_t send) const;
  [[nodiscard]] std::uint64_t message_key(std::uint32_t rank, std::uint32_t send) const;
  void start_message_side(std::uint32_t rank, std::uint32_t activity, bool is_send);
  void post(std::uint32_t rank, std::uint32_t activity, bool is_send);
  void match_posted();
  void side_is_ready(Place send, std::uint32_t recv, bool is_send);
  void start_messages(std::uint32_t rank, std::uint32_t send);
  void message_ended(OpId id);
  void report_progress();

  const JobPlan& plan_;
  const workload::Matching& matching_;
  const workload::Workload& workload_;
  NetworkModel& network_;
  const EngineOptions& options_;
  RunState state_;
  std::vector<const ProgramPlan*> program_plans_;  // per class
  EventQueue queue_;
  workload::MessageMatcher matcher_;  // of ranks that take messages as they are posted
  std::vector<PostedSide> posted_;    // at this moment
  std::vector<Event> events_;         // scratch
  std::vector<Place> ended_;          // at this moment; their successors are not released yet
  std::vector<Place> started_;        // the same of those that others may start with
  std::vector<OpId> starting_;        // at this moment
  std::vector<OpId> finished_;        // scratch
  std::vector<std::int64_t> parts_;   // scratch
  std::vector<std::uint32_t> touched_ranks_;
  std::vector<Place> touched_streams_;  // rank and stream
  std::uint64_t incomplete_ = 0;        // operations of which some of the class have ended and some have not
  std::uint64_t next_report_ = 0;
  std::uint32_t idle_advances_ = 0;  // of the network without anything finished or time passed
  TimePs network_time_ = kNotYet;    // up to which the network has been moved
  bool overflow_ = false;
  bool unlike_ = false;
};

}  // namespace orrery::simulate

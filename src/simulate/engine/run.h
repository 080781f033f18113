// The loop of the engine: one clock, one queue, one network model. Three strategies spare it work without changing what
// comes of it, and stand beside it: lookahead.h executes what a rank does by itself ahead of time, steady_state.h
// passes over what the job does again, started_operations.h starts one operation for all that are alike.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulate/engine/cause_tracker.h"
#include "simulate/engine/lookahead.h"
#include "simulate/engine/operation_numbers.h"
#include "simulate/engine/run_state.h"
#include "simulate/engine/slowed_computing.h"
#include "simulate/engine/started_operations.h"
#include "simulate/engine/steady_state.h"
#include "simulate/engine/window_supply.h"
#include "simulate/network_model.h"
#include "simulate/schedule_sink.h"
#include "workload/agreement.h"
#include "workload/message_matcher.h"
#include "workload/source.h"

namespace orrery::simulate {

class Run {
 public:
  /// Executes the first rank of every class; it stands for the others. Their operations are started in the network, or
  /// one for all that it takes for alike. All must outlive the run.
  Run(workload::WorkloadSource& source, const workload::Membership& membership, NetworkModel& network,
      const EngineOptions& options, RankClasses classes, ScheduleSink& sink);

  /// All activities of the executed ranks done, or an Error. To be called once.
  Status execute();

  /// After an Error: whether it was that the operations of one class did not end together, so that its ranks are not
  /// alike.
  [[nodiscard]] bool found_unlike() const { return !what_ended_.empty(); }
  /// Then numbers of the ranks, different of two that are of one class and are known to be unlike.
  [[nodiscard]] std::vector<std::uint32_t> ranks_told_apart() const;
  /// Likewise: whether it was that operations were taken for alike and are not. The network knows which.
  [[nodiscard]] bool folded_unlike() const { return folding_ != nullptr && folding_->found_unlike(); }
  /// Likewise: whether it may come of having executed something before its time.
  [[nodiscard]] bool used_lookahead() const { return lookahead_ && lookahead_->was_used(); }
  [[nodiscard]] const RunState& state() const { return state_; }
  [[nodiscard]] RunLayout layout() const { return {membership_, state_.classes, state_.bundles}; }

 private:
  // `rank` is a class in everything below, unless it is said otherwise.

  /// One communicator of a rank.
  struct StreamPlace {
    std::uint32_t rank;
    std::uint32_t stream;
  };
  /// A side of a message to a rank that takes messages as they are posted. (Then every rank is a class.)
  struct PostedSide {
    std::uint32_t receiver;
    bool is_recv;
    std::uint32_t rank;
    std::uint64_t order;  ///< in the program
    std::uint64_t activity;

    auto operator<=>(const PostedSide&) const = default;
  };
  /// One that waits for its match. Its window may be retired before: an eager send ends whether or not anybody
  /// receives.
  struct WaitingSide {
    RankActivity place;
    MessageKey key;  ///< of a send
    SharedWindow window;
  };

  // --- the loop (run.cc) ---
  Status begin();
  Status settle();
  Status pass_steady_state();
  Status advance_to(TimePs time, bool network_is_due);
  Status take_ended_activities();
  Status take_finished_operations();
  Status start_operations();
  [[nodiscard]] Status check_folded() const;
  void report_progress();
  /// So much is left, and so little of it can be passed over, that nobody will see the end.
  [[nodiscard]] bool has_no_end() const;

  // --- windows (run_windows.cc) ---
  Status open_window(std::uint32_t rank);
  Status open_entered();
  void add_slots(RankState& state, const ProgramPlan& plan);
  void retire(std::uint32_t rank, LiveWindow& window);
  [[nodiscard]] bool starts_carried(const RankState& state, const LiveWindow& window, std::uint64_t activity) const;

  // --- activities (run.cc) ---
  [[nodiscard]] std::uint32_t first_of(std::uint32_t rank) const { return state_.classes.first(rank); }
  void make_ready(std::uint32_t rank, LiveWindow& window, std::uint64_t activity);
  void note_start(std::uint32_t rank, LiveWindow& window, std::uint64_t activity);
  void start(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, Resource resource);
  void finish(std::uint32_t rank, std::uint64_t activity);
  void release_successors();
  void release(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, std::uint64_t source, bool on_start);
  void release_carried(RankActivity place, std::uint64_t first_of_window, bool has_ended);
  void schedule_end(std::uint32_t rank, std::uint64_t activity, TimePs duration);
  void count_use(std::uint32_t rank);
  void exchanges_change(std::uint32_t rank, int change);
  [[nodiscard]] bool has_moved(RankActivity ended);

  void touch_rank(std::uint32_t rank);
  void touch_stream(std::uint32_t rank, std::uint32_t stream);
  void fill_slots(std::uint32_t rank);
  void fill_stream(std::uint32_t rank, std::uint32_t stream);
  void dispatch();

  // --- collectives (run_collectives.cc) ---
  void arrive(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity);
  void tell_last_member(std::uint32_t rank, std::uint32_t stream, std::uint64_t activity, const OpenCollective& open);
  void collective_ended(OpId id);
  Status start_collective(OpId id);

  // --- messages (run_messages.cc) ---
  [[nodiscard]] bool is_eager(std::int64_t bytes) const { return bytes <= options_.eager_limit_bytes; }
  /// Whether a message moves when both sides are ready, not when its send has ended.
  [[nodiscard]] bool moves_when_both_are_ready(std::int64_t bytes) const { return options_.replay || !is_eager(bytes); }
  [[nodiscard]] MessageKey key_of_send(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity) const;
  void start_message_side(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, bool is_send);
  void post(std::uint32_t rank, std::uint64_t activity, bool is_send);
  void match_posted();
  void send_is_ready(const MessageKey& key, std::uint32_t rank, std::uint64_t activity);
  void recv_is_ready(const MessageKey& key, std::uint32_t rank, std::uint64_t activity);
  void start_messages(const MessageKey& key, const MessageState& state);
  void tell_last_side(const MessageState& state, bool to_send);
  void send_ended(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity);
  void check_sizes(const MessageState& state);
  Status start_message(OpId id);
  /// The channel of its sender.
  std::uint32_t message_ended(OpId id);
  [[nodiscard]] Status check_received() const;

  const workload::Membership& membership_;
  const workload::Workload& job_;
  NetworkModel& network_;
  const EngineOptions& options_;
  ScheduleSink& sink_;
  const bool is_checked_;  // the sides of collectives and messages are known to agree
  RunState state_;
  NetworkFolding* const folding_;  // null: every operation is started
  StartedOperations started_operations_;
  WindowSupply supply_;
  OperationNumbers numbers_;
  EndQueue queue_;
  std::optional<CauseTracker> causes_;                        // if the sink wants to be told
  workload::MessageMatcher matcher_;                          // of ranks that take messages as they are posted
  std::vector<PostedSide> posted_;                            // at this moment
  std::unordered_map<std::uint64_t, WaitingSide> unmatched_;  // by handle of the matcher
  std::uint64_t next_handle_ = 0;
  std::unordered_map<OpId, MessageKey> moving_;  // by number of the message of the first of a class
  std::optional<SlowedComputing> slowed_;        // if computing takes longer beside exchanges
  std::optional<Lookahead> lookahead_;           // if nobody minds the order, and what everything depends on is known
  std::optional<SteadyState> steady_state_;  // if nobody wants to be told of everything, and all that is kept is looked
                                             // at where the job is quiescent
  std::vector<RankActivity> due_;            // scratch
  std::vector<RankActivity> ended_;          // at this moment; their successors are not released yet
  std::vector<RankActivity> started_;        // the same of those that others may start with
  std::vector<std::uint32_t> entered_;       // ranks that began a window and have not been given the next
  std::vector<OpId> starting_;               // at this moment
  OpId starting_first_ = 0;                  // the message of the first of its class that was started last,
  const MessageState* starting_message_ = nullptr;  // and its state; null: none was at this moment
  std::vector<OpId> finished_;                      // scratch,
  std::vector<std::uint32_t> channels_;             // and of the messages among them: of their senders
  std::vector<std::int64_t> parts_;                 // scratch
  std::vector<std::uint32_t> touched_ranks_;
  std::vector<StreamPlace> touched_streams_;
  std::optional<Error> problem_;  // found where nothing can be returned
  std::uint64_t incomplete_ = 0;  // operations of which some of the class have ended and some have not
  std::uint64_t next_report_ = 0, total_ = 0;
  std::uint32_t idle_advances_ = 0;        // of the network without anything finished or time passed
  TimePs network_time_ = -1;               // up to which the network has been moved
  std::vector<std::uint64_t> what_ended_;  // if ranks are unlike: of each rank, at the moment that told
};

}  // namespace orrery::simulate

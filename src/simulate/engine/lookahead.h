// Lookahead: what a rank does by itself is executed ahead of time.
//
// Between two messages a rank of a training step computes and reduces among ranks that do the same, dozens of
// activities that wait for one another and for nothing else. Where the network can predict when the collectives end,
// all of it is known when the first begins: it is executed then, moment by moment as the engine would, up to the first
// end that others may wait for. What runs then goes into the queue.
//
// That is right as long as nothing comes in between: no flow of others on the links (NetworkLookahead), nothing else
// that wants to compute on the rank or to use the communicator (note_ready). It is looked at where such things happen;
// if one does, the run begins anew without lookahead (engine.cc). The network trusts only links to which nobody else
// came for long, so that this is rare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/engine/run_state.h"
#include "simulate/engine/started_operations.h"
#include "simulate/network_model.h"
#include "simulate/schedule_sink.h"

namespace orrery::simulate {

/// Of one run, which it shares the state, the queue and the sink with. `rank` is a class, as everywhere in a run.
class Lookahead {
 public:
  /// `network`: null if it predicts nothing, and then chains of computing alone are executed ahead. `is_checked`: the
  /// sides of collectives are known to agree.
  Lookahead(const workload::Membership& membership, NetworkLookahead* network, StartedOperations& started_operations,
            bool is_checked, RunState& state, EndQueue& queue, ScheduleSink& sink);

  /// Computing that starts now. Its end is not in the queue until run_ahead().
  void begin_computing(std::uint32_t rank, std::uint64_t activity, TimePs end_ps) {
    begun_.push_back({rank, activity, end_ps});
  }
  /// The same for a collective, if it is known when it ends; else false, and nothing is done.
  bool begin_collective(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity);
  /// When all that begins at this moment has begun.
  void run_ahead();

  /// An activity becomes ready because `source` has started or ended; without one, because its window was opened.
  void note_ready(std::uint32_t rank, const PlannedActivity& planned, std::optional<std::uint64_t> source) {
    if (covers(rank) && (!source || *source != ranks_[rank].at_once)) check_ready(rank, planned);
  }
  /// An activity of a window that was opened does not wait for `source`, which was executed; perhaps ahead of its time.
  void note_carried(std::uint32_t rank, std::uint64_t source) {
    const Extent& done = ranks_[rank];
    is_wrong_ |= covers(rank) && source >= done.first && source <= done.last;
  }
  /// What was executed ahead and has come to be since: for RankState::has_changes.
  void count_changes(std::uint32_t rank);

  /// Whether anything was executed ahead of its time, so that an Error may come of it.
  [[nodiscard]] bool was_used() const { return was_used_; }
  /// Something came in between.
  [[nodiscard]] bool failed() const {
    return was_used_ && (is_wrong_ || (network_ != nullptr && network_->has_mispredicted()));
  }

 private:
  /// A rank begins or ends to compute or to communicate, at a moment that is yet to come.
  struct UseChange {
    TimePs when = 0;
    std::int32_t computing = 0;
    std::int32_t communicating = 0;
  };
  /// What was executed ahead of one rank.
  struct Extent {
    TimePs until_ps = -1;                 ///< up to and with this moment; -1: nothing was
    std::uint64_t first = 0, last = 0;    ///< activities, counted through the program: all of it is among these
    std::uint64_t at_once = kNoActivity;  ///< started at the last moment and takes no time: its end was not executed
    std::uint64_t streams = 0;            ///< bit s: collectives on stream s were
    std::vector<UseChange> changes;       ///< of all of it
    std::size_t next_change = 0;          ///< the first that is yet to come
  };
  /// Computing, or a predicted collective.
  struct Begun {
    std::uint32_t rank;
    std::uint64_t activity;
    TimePs end_ps;
  };
  /// The same of the rank that is being looked at.
  struct Running {
    TimePs end_ps;
    std::uint64_t activity;
  };

  [[nodiscard]] bool covers(std::uint32_t rank) const { return ranks_[rank].until_ps >= state_.now; }
  void check_ready(std::uint32_t rank, const PlannedActivity& planned);
  void run_rank(std::span<const Begun> begun);
  void execute(std::uint32_t rank);
  [[nodiscard]] static bool has_local_successors(const LiveWindow& window, std::uint64_t activity, std::uint64_t limit);
  void end(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, TimePs when);
  void start(std::uint32_t rank, LiveWindow& window, std::uint64_t activity, TimePs when, TimePs end_ps);
  void fill_slots(std::uint32_t rank, LiveWindow& window, TimePs when);
  [[nodiscard]] bool fill_streams(std::uint32_t rank, LiveWindow& window, TimePs when);
  [[nodiscard]] std::optional<TimePs> commit(std::uint32_t rank, const LiveWindow& window, std::uint64_t activity,
                                             TimePs start_ps);

  const workload::Membership& membership_;
  NetworkLookahead* network_;
  StartedOperations& started_operations_;
  bool is_checked_;
  RunState& state_;
  EndQueue& queue_;
  ScheduleSink& sink_;
  std::vector<Extent> ranks_;                 // per class
  std::vector<Begun> begun_;                  // at this moment; their ends are not in the queue yet
  std::vector<Running> running_;              // scratch
  std::vector<std::uint64_t> over_;           // scratch
  std::vector<std::uint32_t> local_streams_;  // scratch
  std::vector<PredictedOp> predicted_;        // scratch
  bool was_used_ = false;
  bool is_wrong_ = false;
};

}  // namespace orrery::simulate

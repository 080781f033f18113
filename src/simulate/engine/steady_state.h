// Steady state: what a job does again and again has to be executed once.
//
// A job is quiescent at a moment at which every rank has ended all of the window that it is in, nothing is in flight,
// and nothing of the next windows has begun: when a collective of all ranks ends a step, say. Whatever happens from
// there follows from the windows to come alone, since nothing else is left of the past (NetworkSteadyState). If each
// program runs one window until the job is quiescent again, then what lies between is a stretch; and wherever the job
// is quiescent before windows with the same content (WorkloadSource::next_content), the same stretch follows: all times
// are moved by the same whole number of picoseconds, and all orders stay as they are. So it is passed over, exactly:
// the clock moves by its length, and what it adds to the counts of ranks, links and the sink is added as often as it
// came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/units.h"
#include "simulate/engine/options.h"
#include "simulate/engine/run_state.h"
#include "simulate/engine/window_supply.h"
#include "simulate/network_model.h"
#include "simulate/schedule.h"
#include "simulate/schedule_sink.h"

namespace orrery::simulate {

/// By program: the contents of the windows that come next; kNoWindow where there is none, because nobody runs it any
/// more.
using Contents = std::vector<std::uint64_t>;

/// A stretch that was executed, and how often it was passed over.
struct Stretch {
  struct LinkDifference {
    machine::LinkId link = 0;
    LinkCount count;
  };

  TimePs length_ps = 0;
  std::uint64_t done = 0;             ///< activities of the executed ranks
  std::vector<WindowExtent> windows;  ///< by program
  std::vector<RankUse> ranks;         ///< by class; without finish_ps
  std::vector<LinkDifference> links;  ///< of those that carried anything
  std::size_t part = 0;               ///< of the ScheduleSink
  std::uint64_t times_passed = 0;
};

/// By contents.
class Stretches {
 public:
  /// Null unless it was executed and kept.
  Stretch* find(const Contents& contents);
  /// Whether it is worth being kept when it is executed now: it came before, so that it may come again, and there is
  /// room. Jobs of which nothing comes again are left alone.
  bool is_worth_keeping(const Contents& contents);
  void keep(const Contents& contents, Stretch stretch);
  [[nodiscard]] const std::deque<Stretch>& all() const { return stretches_; }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 29;  // half a gigabyte, beside what the run itself takes

  struct Hash {
    std::size_t operator()(const Contents& contents) const;
  };

  std::unordered_map<Contents, Stretch*, Hash> kept_;
  std::deque<Stretch> stretches_;
  std::unordered_set<std::size_t> came_before_;  // hashes: one taken for another costs a stretch that is kept in vain
  std::size_t bytes_ = 0;
};

/// Of one run, which it shares the state, the supply of windows and the sink with.
class SteadyState {
 public:
  SteadyState(NetworkSteadyState& network, const EngineOptions& options, RunState& state, WindowSupply& supply,
              ScheduleSink& sink);

  /// Asked when what ends at this moment, `ended`, has ended, nothing that follows from it has begun, and nothing is in
  /// the queue. Mostly one look at two numbers.
  [[nodiscard]] bool is_quiescent(std::span<const RankActivity> ended) const;
  /// At such a moment: moves the clock over all stretches that are known. True if there were any: then the ranks of
  /// `ended` have no windows, as at the beginning of the run, and are to be given their next. An Error: cancelled, or
  /// more time than there is.
  Result<bool> pass(std::span<const RankActivity> ended);
  /// After pass(), when the same ranks are in their next windows: if what follows is to be kept, these are its windows.
  void note_windows(std::span<const RankActivity> ended);
  /// At the end of the run: adds what the stretches that were passed over add to what was counted.
  void finish();

  /// Activities that are done without having been executed.
  [[nodiscard]] std::uint64_t passed_activities() const { return passed_activities_; }

 private:
  /// What a stretch that may come again was begun with.
  struct Recording {
    Contents contents;
    std::vector<WindowExtent> windows;  ///< by program
    std::vector<std::uint64_t> first;   ///< by program: where its window begins
    TimePs begin_ps;
    std::uint64_t done;
    std::vector<RankUse> ranks;
    std::vector<LinkCount> links;
  };

  bool read_next_contents();
  [[nodiscard]] std::uint64_t windows_alike() const;
  void clear_windows(std::span<const RankActivity> ended);
  void begin_recording();
  void end_recording(std::span<const RankActivity> ended);
  [[nodiscard]] Stretch recorded_stretch(std::size_t part) const;

  NetworkSteadyState& network_;
  const EngineOptions& options_;
  RunState& state_;
  WindowSupply& supply_;
  ScheduleSink& sink_;
  Stretches stretches_;
  std::optional<Recording> recording_;  // of the stretch that is being executed
  Contents contents_;                   // scratch
  std::uint64_t passed_activities_ = 0;
};

}  // namespace orrery::simulate

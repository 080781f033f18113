// What recording cost the run that was recorded, read off the recording itself, and the run as it is without.
//
// A recorder is called where an event begins and where it ends, on the thread of the event. So a host thread is a chain
// of stretches between such moments, and its cost lies in them: before what begins, before what ends, and in an event
// that has nothing inside. Operators that do next to nothing (views, wrappers around another operator) are the ruler:
// what such a stretch takes there is what recording takes. Recorders of Python stacks look up the line that called,
// which takes longer the longer the function is: each function is its own ruler. Rows that are longer take longer to
// write, where a recorder writes them at once (that of host traces): stretches are then compared with those whose rows
// are about as long.
//
// All that is left of the host's time is slower, too, since the recorder's code and rows take the place of the
// program's own in the caches: by 5 % per microsecond that an event costs, as 72 recordings of 18 jobs say whose time
// without a recorder is known, of which docs/ACCURACY.md has 24. That one figure is not in the recording.
//
// The graph knows what waits for what: a step that waits for the device does not become shorter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/path/causal_path.h"
#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/edits.h"
#include "graph/graph.h"

namespace orrery::analyze {

/// How much of the fitted cost is taken off, in thousandths.
using CostShare = std::int64_t;
inline constexpr CostShare kWholeCost = 1000;

/// What goes on for longer without a recorder has its caches back, and is slower up to there only. Operators of PyTorch
/// hardly ever take so long; loading of data does.
inline constexpr TimePs kSlowedAtMost = kPsPerMs;

/// The cost of recording, fitted to one graph.
class RecordingCost {
 public:
  /// The graph must outlive it, with the weights that were measured.
  explicit RecordingCost(const causal::CausalGraph& job);

  [[nodiscard]] const causal::CausalGraph& job() const { return job_; }
  /// Recorded events of host threads.
  [[nodiscard]] std::size_t events() const { return events_; }
  /// Whether the recording has enough stretches that can be compared. Without, nothing is taken off unless somebody
  /// knows the time without a recorder: then every event costs the same.
  [[nodiscard]] bool has_ruler() const { return has_ruler_; }
  /// What recording one operator typically takes: before it begins, and before it ends.
  [[nodiscard]] TimePs per_event() const { return per_event_; }
  /// The same of that much of the cost; without a ruler of a cost that is the same for every event.
  [[nodiscard]] TimePs per_event(CostShare share) const;
  /// By how much all else of the host is slower meanwhile, in thousandths.
  [[nodiscard]] std::int64_t slowdown_permille() const;

  /// What was read off: all of it, or without a ruler nothing.
  [[nodiscard]] CostShare fitted() const { return has_ruler_ ? kWholeCost : 0; }

  /// How much shorter an edge is without the recorder; never more than it weighs.
  struct Saving {
    graph::Slot slot;
    TimePs time;
  };
  /// Of all edges in which a recorder may be called, in the order of threads and time.
  [[nodiscard]] std::vector<Saving> savings(CostShare share) const;
  /// Where the saving of an edge comes from.
  struct Parts {
    graph::Slot slot;
    /// What the recorder's own calls take of it; what is left takes 1000 / slowdown_permille() of its time, rounded
    /// down. None: it waits, and stays as it is.
    std::optional<TimePs> calls;
  };
  /// Those of savings(fitted()), one by one.
  [[nodiscard]] std::vector<Parts> parts() const;
  /// What the graph then takes.
  [[nodiscard]] TimePs length(CostShare share) const;
  /// Between which lengths the run without a recorder lies in at least 8 of 10 cases.
  [[nodiscard]] std::pair<TimePs, TimePs> interval(CostShare share) const;

 private:
  /// A moment at which the recorder is called.
  enum class Boundary : std::uint8_t {
    none,
    begin_operator,
    end_operator,
    begin_frame,
    end_frame,
    begin_call,
    end_call
  };
  static constexpr std::size_t kBoundaries = 7;

  /// Between two moments of one thread.
  struct Stretch {
    TimePs lasted;
    graph::Slot slot;
    StringId name;
    Boundary from = Boundary::none, to = Boundary::none;
    std::uint8_t row_class = 0;  ///< of the event that it belongs to: about how long its row is; 0: not known
    bool of_operator : 1 = false, of_frame : 1 = false;  ///< what it belongs to: an operator, a Python frame
    bool of_nothing : 1 = false;                         ///< no event is around it
    bool follows : 1 = false;                            ///< it begins where the stretch before it on its thread ended
    bool waited : 1 = false;                             ///< it lasted longer than it takes by itself
  };
  /// The same once its cost is known.
  struct Charged {
    TimePs cost;  ///< what the recorder takes in it
    graph::Slot slot;
    bool follows;
    bool waits;  ///< a call that waits, in which the recorder's time is lost to nobody
  };
  /// What one kind of stretch costs, by row class, ascending.
  using ByRow = std::vector<std::pair<std::uint8_t, TimePs>>;
  static constexpr std::size_t place(Boundary from, Boundary to) {
    return static_cast<std::size_t>(from) * kBoundaries + static_cast<std::size_t>(to);
  }

  enum class Places { rulers, others, all };

  /// Thread by thread, in order.
  Column<Stretch> find_stretches();
  /// `by_rows`: long rows cost more than short ones.
  void fit(const Column<Stretch>& stretches, Places places, bool by_rows);
  void fit_frames(const Column<Stretch>& stretches);
  void charge(const Column<Stretch>& stretches);
  [[nodiscard]] TimePs cost_at(Boundary from, Boundary to, std::uint8_t row_class) const;
  /// Of all stretches with the same boundaries, row class and owners.
  [[nodiscard]] TimePs cost_of_sort(const Stretch& stretch) const;
  /// Whether the function that it is a frame of may cost more than that.
  [[nodiscard]] bool has_cost_of_frame(const Stretch& stretch) const;
  /// Calls visit(slot, what its calls take) for every stretch.
  template <typename Visit>
  void for_each_part(CostShare share, Visit&& visit) const;
  /// Calls visit(slot, weight without the recorder) for every stretch.
  template <typename Visit>
  void for_each_weight(CostShare share, Visit&& visit) const;
  [[nodiscard]] TimePs length_with(CostShare share, std::int64_t host_permille) const;

  const causal::CausalGraph& job_;
  mutable graph::Edits edits_;  // of the weights that were asked about last: its memory is used again
  Column<Charged> charged_;     // thread by thread, in order
  std::array<ByRow, kBoundaries * kBoundaries> costs_;
  Column<TimePs> of_frame_;  // per text: what the recorder takes before each call of a Python frame of that name
  mutable std::optional<TimePs> fitted_length_;  // solved once, since everybody asks for it
  TimePs before_begin_ = 0, per_event_ = 0;
  std::size_t events_ = 0;
  bool has_ruler_ = false;
};

/// How much of the fitted cost explains what the run takes without a recorder, found by solving again.
struct CalibratedCost {
  CostShare share = 0;
  TimePs length = 0;     ///< what the graph then takes
  bool explains = true;  ///< false: recording would have to cost less than nothing, or more than is plausible
};
CalibratedCost calibrate(const RecordingCost& cost, TimePs unprofiled);

/// Whether that is worth a remark: a fifth of the run or more is the cost of recording it.
inline bool recording_counts(TimePs recorded, TimePs length) { return 5 * (recorded - length) >= recorded; }

/// The host's part of the path.
TimePs host_on_path(const PathSums& path);

/// "; most of that is the cost of recording: about 12.1 ms without (10.0 to 14.5 ms)", behind a verdict, where it
/// counts and more than half of the host's part of the path goes with it; else empty. The path is that of the graph of
/// `cost`.
std::string recording_clause(const RecordingCost& cost, const PathSums& path);

/// The same graph without that: weights, moments and span are those of the run without a recorder.
causal::CausalGraph without_recorder(causal::CausalGraph job, const std::vector<RecordingCost::Saving>& savings);

}  // namespace orrery::analyze

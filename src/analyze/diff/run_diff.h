// What changed between two runs: is a step longer, surely so, and because of what.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/diff/change_status.h"
#include "analyze/diff/piece_alignment.h"
#include "analyze/diff/run_operators.h"
#include "base/units.h"
#include "causal/causal_graph.h"

namespace orrery::analyze {

// What can be said about a few measured times without assuming how they are distributed: medians, their intervals, and
// the shift between two runs.

struct TimeInterval {
  TimePs low = 0, high = 0;
  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// The place of the lower median; of equals the first. `times` is not empty.
std::size_t lower_median_place(std::span<const TimePs> times);

/// The interval between two order statistics, equally far from both ends, that holds the median of the distribution
/// with at least 95 %: the narrowest. None below six times: their whole range does not.
std::optional<TimeInterval> median_interval(std::span<const TimePs> times);

/// Where the shift from `a` to `b` lies, with 95 %: all differences b - a sorted, the C-th from either end, with C by
/// the normal approximation of the rank-sum statistic (Hodges and Lehmann 1963). None where C is below 1. O((n + m) log
/// range), without a table of differences.
std::optional<TimeInterval> shift_interval(std::span<const TimePs> a, std::span<const TimePs> b);

/// How two runs compare in one quantity.
struct Comparison {
  TimePs a = 0, b = 0;                 ///< lower medians
  std::optional<TimeInterval> change;  ///< shift_interval
  /// 0 lies outside the interval, and the medians differ by at least 0.1 % of a; none: too few to tell.
  std::optional<bool> significant;
};
/// Both sides have at least one time.
Comparison compare(std::span<const TimePs> a, std::span<const TimePs> b);

/// One run as it is compared: its steps, and the graph of the one that stands for them.
struct ComparedRun {
  std::vector<std::string> steps;               ///< their names
  std::vector<TimePs> spans;                    ///< of each over all ranks
  std::size_t median = 0;                       ///< which of them is the lower median
  std::optional<TimeInterval> interval;         ///< of the median
  causal::CausalGraph step;                     ///< the graph of the median step
  bool is_whole = false;                        ///< it is all that was recorded, taken as one step
  std::vector<std::vector<TimePs>> times = {};  ///< per class and step; see class_step_times
  OwnerOperators operators = {};                ///< of `step`
  OperatorGroups device_work = {};              ///< of the median step
  causal::DeviceClock clock = {};               ///< of the device work of these steps

  [[nodiscard]] TimePs median_span() const { return spans[median]; }
};

/// A class of pieces and what it adds to the step. Times, counts and contributions are those of the two median steps.
struct ChangeCause {
  causal::EdgeKind kind{};
  /// Of an event; of device work that only one run has under its name, the operator that launched it, if the other run
  /// has that too (common_classes). Empty: time that belongs to no event, and delays.
  std::string name;
  ChangeStatus status = ChangeStatus::same;
  TimePs a = 0, b = 0;
  std::uint64_t a_count = 0, b_count = 0;
  std::optional<bool> significant;  ///< whether its time per step differs; none: too few steps to tell
  std::optional<TimeInterval>
      change;  ///< of its time per step, over all steps and ranks, with 95 %; none: too few steps
  TimePs contribution = 0;
  struct OfRank {
    std::int64_t rank = 0;
    TimePs contribution = 0;
  };
  std::vector<OfRank> ranks;  ///< that contribute, ascending; together they are `contribution`
};

struct RunDiff {
  Comparison spans;                 ///< of all steps
  TimePs change = 0;                ///< of the pair of median steps
  std::vector<ChangeCause> causes;  ///< the largest contribution first, then the largest change of their time
  TimePs structure = 0;             ///< change less all contributions: other dependencies, other order
  std::size_t corners = 0;          ///< where the path changes on the way from a to b and back

  /// "slower", "faster", "no significant change", "too few steps to tell".
  [[nodiscard]] const char* verdict() const;
};

/// Both runs have at least one step. `classes` are those that ComparedRun::times of both are counted by.
RunDiff compare_runs(const ComparedRun& a, const ComparedRun& b, PieceClasses& classes);

}  // namespace orrery::analyze

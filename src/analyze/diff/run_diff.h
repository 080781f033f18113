// What changed between two runs: is a step longer, surely so, and because of what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/diff/order_statistics.h"
#include "analyze/diff/piece_classes.h"
#include "causal/causal_graph.h"

namespace orrery::analyze {

/// One run as it is compared: its steps, and the graph of the one that stands for them.
struct ComparedRun {
  std::vector<std::string> steps;               ///< their names
  std::vector<TimePs> spans;                    ///< of each over all ranks
  std::size_t median = 0;                       ///< which of them is the lower median
  std::optional<TimeInterval> interval;         ///< of the median
  causal::CausalGraph step;                     ///< the graph of the median step
  bool is_whole = false;                        ///< it is all that was recorded, taken as one step
  std::vector<std::vector<TimePs>> times = {};  ///< per class and step; see class_step_times

  [[nodiscard]] TimePs median_span() const { return spans[median]; }
};

enum class ChangeStatus : std::uint8_t { is_new, removed, slower, faster, same };
const char* to_string(ChangeStatus status);  ///< "new", "removed", ...

/// A class of pieces and what it adds to the step. Times, counts and contributions are those of the two median steps.
struct ChangeCause {
  causal::EdgeKind kind{};
  std::string name;  ///< empty: time that belongs to no event, and delays
  ChangeStatus status = ChangeStatus::same;
  TimePs a = 0, b = 0;
  std::uint64_t a_count = 0, b_count = 0;
  std::optional<bool> significant;     ///< whether its time per step differs; none: too few steps to tell
  std::optional<TimeInterval> change;  ///< of its time per step, over all steps and ranks, with 95 %; none: too few steps
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

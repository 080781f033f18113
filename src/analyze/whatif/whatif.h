// A causal graph with edits against itself as it was.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/path/causal_path.h"
#include "analyze/whatif/graph_edits.h"
#include "analyze/whatif/interference.h"
#include "analyze/whatif/job_pauses.h"
#include "base/team/sweep.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// How much more (or less) of the path a class of pieces takes after the edits.
struct Move {
  causal::PieceClass piece;
  TimePs before = 0;
  TimePs after = 0;
};

/// What the longest path is made of. The kinds and the standing still add up to its length.
struct PathTimes {
  TimePs length = 0;
  std::array<TimePs, causal::kJobEdgeKinds> kinds{};
  TimePs stopped = 0;  ///< ranks that failed stand still, or the job does until it goes on

  struct OfClass {
    causal::PieceClass piece;
    TimePs on_path = 0;
  };
  std::vector<OfClass> classes;     ///< by kind and name
  const char* device_type = "GPU";  ///< see causal::DeviceReach
};

struct WhatIf {
  graph::Solution unedited;  ///< what edits are compared with
  SolvedJob edited;          ///< of a job that goes back to a step: the run without that failure
  PathTimes before;
  PathTimes after;
  std::vector<Move> moves;  ///< the largest changes first
  struct OfRank {
    TimePs before = 0, after = 0;  ///< from the job's begin to the rank's end
  };
  std::vector<OfRank> ranks;  ///< as CausalGraph::ranks
  TimePs replayed = 0;        ///< the graph solved from its edges as they are

  [[nodiscard]] double speedup() const {
    return static_cast<double>(before.length) / static_cast<double>(std::max<TimePs>(after.length, 1));
  }
};

/// `beside`: what computing loses to communication follows the edits; null: kernels take what they took, whatever lies
/// beside them.
WhatIf what_if(const GraphEdits& edits, std::size_t top, const Interference* beside = nullptr);

/// Two runs of a job, solved otherwise: on a machine, with and without edits.
WhatIf compare_runs(const causal::CausalGraph& job, const graph::Solution& before, const graph::Solution& after,
                    std::size_t top);

/// What a sweep says of one factor.
struct SweepRow {
  double factor = 1;
  TimePs length = 0;
  std::string verdict;
};

/// What a sweep says of a run that was solved otherwise.
SweepRow sweep_row(const causal::CausalGraph& job, double factor, const graph::Solution& run);

/// The edits with other factors; see GraphEdits. All factors are solved side by side.
std::vector<SweepRow> sweep(const GraphEdits& edits, const std::vector<double>& factors,
                            const Interference* beside = nullptr);

/// "71 % CPU-bound".
std::string verdict(const PathTimes& times);

// The factors of --sweep as points that any thread or process can solve (base/team/sweep.h).

/// The answer to one factor. Rows come back as they were; an Error: these are no bytes of a row.
std::string row_to_bytes(const SweepRow& row);
Result<std::vector<SweepRow>> rows_from_bytes(std::span<const std::string> answers);

/// Factors whose rows are found a few at a time, since the graph is read once for them (graph/solve_many.h). What it is
/// made of must outlive it.
class FactorSweep : public Sweep {
 public:
  /// Rows of some factors, in their order. Any thread.
  using RowsOf = std::function<Result<std::vector<SweepRow>>(const std::vector<double>& factors)>;
  FactorSweep(std::vector<double> factors, RowsOf rows_of)
      : factors_(std::move(factors)), rows_of_(std::move(rows_of)) {}

  [[nodiscard]] std::size_t size() const override { return factors_.size(); }
  [[nodiscard]] std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const override;
  [[nodiscard]] std::size_t smallest_batch() const override;

 private:
  std::vector<double> factors_;
  RowsOf rows_of_;
};

/// See sweep().
FactorSweep whatif_sweep(const GraphEdits& edits, std::vector<double> factors, const Interference* beside = nullptr);

// A what-if as Sheets: what the edits selected, what the path was made of before and after, what moved, what becomes of
// each rank, and how the step answers to factors.

/// Per edit, in the order given: edit, edges (pieces it changes, standstills, or ranks that fail), unpriced (of edits
/// to what the device allows: how many of them have no price and stay).
report::Sheet edits_sheet(const GraphEdits& edits);

/// Per kind of time that is on the path before or after: kind, before_us, after_us, change_us; `stopped` is standing
/// still. The sums are the step's.
report::Sheet changed_bounds_sheet(const WhatIf& result);

/// What moved most, in the order of WhatIf::moves: kind, name (unknown of time that belongs to no event), before_us,
/// after_us, change_us.
report::Sheet moves_sheet(const causal::CausalGraph& job, const WhatIf& result);

/// Per rank, from the job's begin to its end: rank, before_us, after_us.
report::Sheet ranks_sheet(const causal::CausalGraph& job, const WhatIf& result);

/// Per factor: factor, step_us, change_pct (against the unedited step), verdict.
report::Sheet sweep_sheet(TimePs unedited, std::span<const SweepRow> rows);

}  // namespace orrery::analyze

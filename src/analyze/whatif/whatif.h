// A causal graph with edits against itself as it was.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyze/path/causal_path.h"
#include "analyze/whatif/graph_edits.h"
#include "analyze/whatif/job_pauses.h"

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

WhatIf what_if(const GraphEdits& edits, std::size_t top);

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
std::vector<SweepRow> sweep(const GraphEdits& edits, const std::vector<double>& factors);

/// "71 % CPU-bound".
std::string verdict(const PathTimes& times);

}  // namespace orrery::analyze

// A whole job with edits against the job as it was.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyze/job_edits.h"
#include "analyze/job_pauses.h"
#include "analyze/whatif.h"
#include "link/job_graph.h"

namespace orrery::analyze {

/// What the longest path of a job is made of. The kinds and the standing still add up to its length.
struct JobPathTimes {
  TimePs length = 0;
  std::array<TimePs, link::kJobEdgeKinds> kinds{};
  TimePs stopped = 0;  ///< ranks that failed stand still, or the job does until it goes on

  struct OfClass {
    link::PieceClass piece;
    TimePs on_path = 0;
  };
  std::vector<OfClass> classes;     ///< by kind and name
  const char* device_type = "GPU";  ///< see link::DeviceReach
};

struct JobWhatIf {
  graph::Solution unedited;  ///< what edits are compared with
  SolvedJob edited;          ///< of a job that goes back to a step: the run without that failure
  JobPathTimes before;
  JobPathTimes after;
  std::vector<Move> moves;  ///< the largest changes first
  struct OfRank {
    TimePs before = 0, after = 0;  ///< from the job's begin to the rank's end
  };
  std::vector<OfRank> ranks;  ///< as JobGraph::ranks
  TimePs replayed = 0;        ///< the job solved from its edges as they are

  [[nodiscard]] double speedup() const {
    return static_cast<double>(before.length) / static_cast<double>(std::max<TimePs>(after.length, 1));
  }
};

JobWhatIf what_if(const JobEdits& edits, std::size_t top);

/// Two runs of a job, solved otherwise: on a machine, with and without edits.
JobWhatIf compare_runs(const link::JobGraph& job, const graph::Solution& before, const graph::Solution& after, std::size_t top);
/// What a sweep says of such a run.
SweepRow sweep_row(const link::JobGraph& job, double factor, const graph::Solution& run);

/// The edits with other factors; see JobEdits. All factors are solved side by side.
std::vector<SweepRow> sweep(const JobEdits& edits, const std::vector<double>& factors);

/// "71 % CPU-bound"; of a job.
std::string verdict(const JobPathTimes& times);

}  // namespace orrery::analyze

// An alignment as files: the traces of all nodes on one clock and from one origin, each with what was done to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "job/aligned_names.h"
#include "trace/trace.h"

namespace orrery::job {

/// How the times of one node were changed.
struct NodeCorrection {
  std::string file;  ///< written
  std::uint64_t events = 0;
  std::uint64_t before_first = 0;                   ///< events before the first observation of the node's clock: extrapolated
  std::uint64_t after_last = 0;                     ///< the same after the last one
  TimePs least_ps = 0, median_ps = 0, most_ps = 0;  ///< what was added to the starts of events, the common origin not counted
  TimePs median_uncertainty_ps = 0, most_uncertainty_ps = 0;
};

/// Corrections without writing anything.
std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment);

/// Unix ns, rounded down, of the earliest thing any node shows after the alignment.
std::int64_t common_origin(const trace::Trace& trace, const align::Alignment& alignment);

/// Into the folder, which is made: every XSpace or Kineto file under its own name (see aligned_names.h), NODE.alignment_stats.json beside it,
/// and alignment_report.json for all. Files are complete or absent, and if one cannot be written none is added; none replaces its original. XSpaces count from `origin`,
/// common_origin(), so that no time of theirs is negative; Kineto files go on counting from what they counted from. Of the trace the lanes and
/// sources are used, not the events, which may take more memory than the files.
Status write_aligned(const trace::Trace& trace, const align::Alignment& alignment, std::int64_t origin, const AlignedTarget& target,
                     std::vector<NodeCorrection>& corrections, Diagnostics& diagnostics);

/// The members of a node's statistics, for the stats file and for --json.
void write_node_statistics(JsonWriter& json, const align::NodeAlignment& node, const NodeCorrection& correction);

}  // namespace orrery::job

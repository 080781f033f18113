// An alignment as Sheets: what it did to the times of every node, and what the logical clock cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "base/json/json_writer.h"
#include "report/sheet.h"
#include "trace/trace.h"

namespace orrery::job {

// What an alignment does to the times of each node.

/// How the times of one node were changed.
struct NodeCorrection {
  std::string file;  ///< written
  std::uint64_t events = 0;
  std::uint64_t before_first = 0;  ///< events before the first observation of the node's clock: extrapolated
  std::uint64_t after_last = 0;    ///< the same after the last one
  TimePs least_ps = 0, median_ps = 0,
         most_ps = 0;  ///< what was added to the starts of events, the common origin not counted
  TimePs median_uncertainty_ps = 0, most_uncertainty_ps = 0;
};

/// Of every rank of the trace; nothing is written, and `file` is empty.
std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment);

/// Per node: node, calibrated, file (unknown: nothing was written), events_corrected, extrapolated_before,
/// extrapolated_after, observations_used, observations_rejected, device_snapshots,
/// {least,median,largest}_correction_us, {median,largest}_uncertainty_us, median_residual_us, and the columns of
/// logical_clock_sheet.
report::Sheet aligned_nodes_sheet(const align::Alignment& alignment, const std::vector<NodeCorrection>& corrections);

/// Per step of a clock: node, at_us, jump_us. `only`: of this node.
report::Sheet clock_steps_sheet(const align::Alignment& alignment, std::optional<std::size_t> only = std::nullopt);

/// Per node: node, pushes, largest_push_us, total_push_us, largest_shift_us.
report::Sheet logical_clock_sheet(const align::Alignment& alignment);

/// {...}: a row of aligned_nodes_sheet with the steps of its clock, as "steps".
void write_node(JsonWriter& json, const report::Sheet& nodes, const align::Alignment& alignment, std::size_t node);

}  // namespace orrery::job

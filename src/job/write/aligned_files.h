// An alignment as files: the traces of all nodes on one clock and from one origin, each with what was done to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "base/result.h"
#include "job/node_correction.h"
#include "job/write/aligned_names.h"
#include "trace/trace.h"

namespace orrery::job {

/// Unix ns, rounded down, of the earliest thing any node shows after the alignment.
std::int64_t common_origin(const trace::Trace& trace, const align::Alignment& alignment);

/// Into the folder, which is made: every XSpace, Kineto or liborrery_mpi file under its own name (see aligned_names.h),
/// NODE.alignment_stats.json beside it, and alignment_report.json for all. Files are complete or absent, and if one
/// cannot be written none is added; none replaces its original. XSpaces count from `origin`, common_origin(), so that
/// no time of theirs is negative; Kineto files go on counting from what they counted from. Of the trace the lanes and
/// sources are used, not the events, which may take more memory than the files.
Status write_aligned(const trace::Trace& trace, const align::Alignment& alignment, std::int64_t origin,
                     const AlignedTarget& target, std::vector<NodeCorrection>& corrections, Diagnostics& diagnostics);

/// Each of the aligned files as it was before, under its own name in the folder, which is made. All appear, or none
/// does.
Status undo_alignment(const std::vector<std::string>& files, const std::string& folder);

}  // namespace orrery::job

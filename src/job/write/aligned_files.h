// An alignment as files: the traces of all nodes on one clock and from one origin, each with what was done to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "job/alignment_sheets.h"
#include "trace/trace.h"

namespace orrery::job {

// What aligned files are called in the one folder they all go to.

struct AlignedName {
  std::string file;        ///< "host.xplane.pb"
  std::string statistics;  ///< "host.alignment_stats.json"
};

/// Where aligned files go.
struct AlignedTarget {
  std::string folder;  ///< is made
  std::string file;    ///< in it, if there is one trace only and it shall not keep its name; else empty
};
/// `output` is a folder, or, for one trace, the name of a file if it ends as traces do (.xplane.pb, .json, also with
/// .gz) and is no folder.
AlignedTarget aligned_target(const std::string& output, std::size_t traces);

/// By rank, as Trace::ranks: the names of the sources without their folders. Where several would have the same name or
/// the same statistics the number of the rank is put in: "trace.json" of rank 3 becomes "trace.rank3.json" (A732). An
/// Error if that does not tell them apart.
Result<std::vector<AlignedName>> aligned_names(const trace::Trace& trace, const AlignedTarget& target,
                                               Diagnostics& diagnostics);

/// Whether a file of this name is one that an alignment leaves beside the traces: no trace itself.
bool is_alignment_report(std::string_view name);

inline constexpr std::string_view kAlignmentReport = "alignment_report.json";

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

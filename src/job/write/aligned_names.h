// What aligned files are called in the one folder they all go to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::job {

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

}  // namespace orrery::job

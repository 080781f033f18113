// From operands to files: what `orrery VERB FILE...` means by FILE.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::job {

// The order in which people number files: rank2 before rank10.

/// Runs of digits compare as numbers of any length, everything else byte by byte; texts that are equal so far (rank1,
/// rank01) compare as bytes. A strict total order.
bool natural_less(std::string_view a, std::string_view b);

/// Each operand is a file, taken whatever its name; a folder; or a glob pattern that no file is called by. A folder is
/// searched, itself and not its subfolders, for *.xplane.pb and *.xplane.pb.gz, and if there are none for *.json, *.et
/// and *.goal, also compressed, and *.pt.trace.json*; a folder without any is taken for the log folder of a profiler,
/// whose newest run (plugins/profile/<run>/ or <run>/, the last by name) is meant; and if it is none, its files are
/// those that begin as a known format does, whatever they are called (trace_0, trace_1, ...). The files of all operands
/// come in natural order (rank2 before rank10), whatever order the shell gave them in, and each once, also when it is
/// reachable by two operands. What `orrery align` leaves beside traces (*.alignment_stats.json, alignment_report.json)
/// is passed over, unless there is nothing else. A folder or a pattern without files and a file that does not exist are
/// errors.
Result<std::vector<std::string>> expand_inputs(std::span<const std::string> operands);

struct ExpandedInputs {
  std::vector<std::string> files;
  /// What else the folders hold that a job could be read from, and is not: other formats beside XSpaces, and files that
  /// have no trace's name but begin as one. In natural order.
  std::vector<std::string> left_out;
};
/// The same, with what is left out.
Result<ExpandedInputs> expand_all_inputs(std::span<const std::string> operands);

/// Whether a file of this name is taken from a folder.
bool is_trace_name(std::string_view name);

}  // namespace orrery::job

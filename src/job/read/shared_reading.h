// The files of a job read by all processes of a team (base/team/process_team.h): each by the one that takes it, largest
// first. Process 0 joins them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/team/process_team.h"
#include "formats/format.h"
#include "trace/trace.h"

namespace orrery::job {

/// What format.read_traces gives, byte for byte: with the help of others if there are any, several files, and a format
/// that can read each by itself.
Result<trace::Trace> read_traces(const formats::Format& format, const std::vector<std::string>& files,
                                 Diagnostics& diagnostics, const formats::TraceOptions& options);

/// The others' side of it.
SharedTaskKind rank_reading_task();

/// Of a file, for progress; 0 if it is not there.
std::uint64_t bytes_of(const std::string& file);

/// Item numbers of files, the largest first; equal ones as they are.
std::vector<std::size_t> largest_first(const std::vector<std::string>& files);

}  // namespace orrery::job

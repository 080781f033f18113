// What orrery convert reads: files in one of several formats, and the workload they are.
#pragma once

#include <string>
#include <vector>

#include "analyze/link_job.h"
#include "cli/convert_formats.h"
#include "cli/invocation.h"
#include "trace/host_trace.h"
#include "workload/workload.h"

namespace orrery::cli {

/// The flags that say what is read and how, among them those of Chakra's own tools.
std::vector<Flag> convert_source_flags();

/// The files that were asked for, found and recognised, but not read yet.
struct ConvertSource {
  SourceFormat format = SourceFormat::chakra;
  std::vector<std::string> files;         ///< one per rank; of a profiler trace its host trace is in `pairs`
  std::vector<analyze::TracePair> pairs;  ///< of profiler traces
  bool is_prefix = false;                 ///< the operand was what the files of all ranks begin with
};

/// A file, several files (ranks in natural order), or PREFIX of PREFIX.0.et, ... .
Result<ConvertSource> find_source(Invocation& invocation);

/// Whether the value of a flag is given under any of its names; the first given counts.
std::string first_given(const Invocation& invocation, std::initializer_list<std::string_view> names);

/// What was read. `hosts` and `job` keep what a workload does not hold, for the details of a Chakra file.
struct ConvertInput {
  workload::Workload workload;
  std::vector<trace::HostTrace> hosts;  ///< of host traces, one per rank; texts in workload.strings
  analyze::LinkedJob job;               ///< of profiler traces; its workload is `workload`
};

/// `whole_microseconds`: times are rounded with care for the unit of Chakra's files.
Result<ConvertInput> read_source(Invocation& invocation, const ConvertSource& source, bool whole_microseconds);

}  // namespace orrery::cli

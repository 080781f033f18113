// Counters that were recorded beside a trace: found in its folder or named, and put on its clock.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/read/reading.h"
#include "trace/trace.h"

namespace orrery::job {

struct CounterFiles {
  std::vector<std::string> named;   ///< of all ranks
  std::vector<std::string> beside;  ///< of the ranks whose files lie in the same folder: a node writes its own
};

/// Tables of counters (.csv, .txt, also compressed) in the folders of these files, by name; none where some are named.
CounterFiles find_counters(const std::vector<std::string>& named, const std::vector<std::string>& files);

/// Each of them is an input.
Status tell_counters(const CounterFiles& files, const Reading& reading);

/// Adds the samples of each device to the ranks that worked on it. Tables are written in the time of the clock on the
/// wall: they are taken as Greenwich's, or moved by the quarters of an hour at which most of the trace is covered. A
/// table beside a trace that is of no use is remarked upon, one that was named is an Error.
Status read_counters(const CounterFiles& files, trace::Trace& trace, Diagnostics& diagnostics);

}  // namespace orrery::job

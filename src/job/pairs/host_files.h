// The host traces of a Source, read with one table of texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/interner.h"
#include "base/result.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "trace/host_trace.h"

namespace orrery::job {

struct HostFiles {
  Interner strings;  ///< of all traces
  std::vector<trace::HostTrace> traces;
  std::vector<std::size_t> rank_numbers;  ///< by trace, ascending: as the files are numbered, else their place

  /// Whether all of them have times; nothing is to be said of none.
  [[nodiscard]] bool is_linked() const {
    return !traces.empty() &&
           std::all_of(traces.begin(), traces.end(), [](const trace::HostTrace& trace) { return trace.is_linked(); });
  }
};

/// The files of a Source of host traces; an Error names the file.
Result<HostFiles> read_host_files(const Source& source, const Reading& reading);

}  // namespace orrery::job

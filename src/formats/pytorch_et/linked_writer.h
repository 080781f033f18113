// A linked trace as JSON, in the form of chakra_trace_link.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

struct LinkedWriteOptions {
  std::string profiler =
      {};  ///< the trace it was linked with, whose document goes into the same file (profiler_part.h); empty: none
  bool without_profiler = false;  ///< says that times are those of the run as it would be if nobody had recorded it
  /// The bytes of chakra_trace_link: members in its order, laid out as Python's json.dump(indent=4) does.
  bool as_chakra = false;
  bool whole_times = false;  ///< with `as_chakra`: times of the profiler trace are whole numbers, and written so
};

/// Every member of the original rows is kept (as it was written, unless `as_chakra`); linking adds its own. Rows by id.
/// Complete or absent.
Status write_linked_trace(const trace::HostTrace& linked, const Interner& strings, const std::string& path,
                          const LinkedWriteOptions& options = {});

}  // namespace orrery::pytorch_et

// From files of one format to files of another.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "job/read/convert_target.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "job/read/workload_input.h"
#include "job/write/astra_export.h"

namespace orrery::job {

/// What the files leave open.
struct ConvertOptions {
  WorkloadRequest workload = {};      ///< `complete` and `whole_microseconds` are set by the conversion
  std::int64_t frequency_mhz = 1000;  ///< of a log: cycles per microsecond
  Reader reader = Reader::anyone;     ///< of Chakra files: whom they are written for
  bool like_chakra = false;  ///< what Chakra's own tools write: converter, jsonizer, visualizer, timeline_visualizer
};

/// All files appear, or none does. The files of the source count as told; of others reading.on_input is told.
Result<std::vector<WrittenFile>> convert(const Source& source, const ConvertTarget& target,
                                         const ConvertOptions& options, const Reading& reading);

}  // namespace orrery::job

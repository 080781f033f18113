// The log of issued and finished nodes that ASTRA-sim writes, as a timeline: what Chakra's timeline_visualizer does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/io/output_file.h"
#include "base/result.h"

namespace orrery::chakra {

inline constexpr DiagnosticKind kUnfinishedNode{"C307", Severity::warning,
                                                "node of the log that is issued and never finished, or the reverse",
                                                "it is not on the timeline"};

struct TimelineOptions {
  std::size_t ranks = 0;              ///< 0: as many as the log names
  std::int64_t frequency_mhz = 1000;  ///< cycles of the log per microsecond
  bool like_chakra =
      false;  ///< to the byte, with its milliseconds where Chrome expects microseconds; what it breaks at is an Error
};

/// Whether a file that begins like this may be one.
bool looks_like_timeline_log(std::string_view first_bytes);

/// Lines like "issue,sys->id=0,tick=100,node->id=3,node->name=COMP_NODE_x" and "callback,..."; lines without these
/// words are passed over. Newer versions put time, logger and level in brackets in front, and the node's type behind
/// ("..., node->type=4"), which tells its thread. Writes Chrome's JSON: a process per rank, in it a thread each for
/// local and remote memory, compute and communication. An Error names the line.
Status write_timeline(std::string_view log, const std::string& path, const TimelineOptions& options,
                      Diagnostics& diagnostics, OutputFile& out);

}  // namespace orrery::chakra

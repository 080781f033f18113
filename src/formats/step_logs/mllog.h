// MLPerf's training logs (mlperf-logging): lines of ":::MLLOG {...}" among others. docs/formats/step_logs.md
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/step_logs/log_rank.h"
#include "trace/trace.h"

namespace orrery::step_logs {

bool is_mllog(std::string_view head);

/// One run. Intervals X_start ... X_stop are annotations X, what tracked_stats says of step times steps, configuration
/// properties of the source. An Error if nothing of that is in it.
Result<trace::RankTrace> parse_mllog(const LogText& text, Interner& strings, Diagnostics& diagnostics);
Result<trace::RankTrace> read_mllog(const std::string& path, Interner& strings, Diagnostics& diagnostics);

}  // namespace orrery::step_logs

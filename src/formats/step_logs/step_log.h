// Logs of steps: a line of JSON per rank and step, as training loops write them. docs/formats/step_logs.md
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/step_logs/log_rank.h"
#include "trace/trace.h"

namespace orrery::step_logs {

/// The first line is an object with a rank and a step, and a time.
bool is_step_log(std::string_view head);

/// All ranks of the log. Phases of a line follow one another, from where the step began; those whose names say that
/// they communicate are collectives of all ranks, numbered by step and place. An Error if no line can be used.
Result<trace::Trace> parse_step_log(const LogText& text, Diagnostics& diagnostics);
Result<trace::Trace> read_step_log(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::step_logs

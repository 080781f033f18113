// The answer of --compat hta: HTA's words and numbers.
#pragma once

#include <string>

#include "analyze/path/hta_summary.h"
#include "base/json/json_writer.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// A sentence and what bounds the path.
std::string hta_text(const Invocation& invocation, const causal::hta::CriticalPath& path,
                     const analyze::HtaSummary& summary);

/// The members of the data object. Times are whole numbers where HTA has whole microseconds.
void write_hta_json(JsonWriter& json, const causal::hta::CriticalPath& path, const analyze::HtaSummary& summary,
                    bool with_breakdown);

}  // namespace orrery::cli

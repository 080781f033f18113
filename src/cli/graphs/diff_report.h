// How a comparison of two runs reads: for people, and as JSON.
#pragma once

#include <string>

#include "analyze/diff/run_diff.h"
#include "base/json/json_writer.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

std::string diff_text(const Invocation& invocation, const analyze::ComparedRun& a, const analyze::ComparedRun& b,
                      const analyze::RunDiff& diff);
void write_diff_json(JsonWriter& json, const analyze::ComparedRun& a, const analyze::ComparedRun& b,
                     const analyze::RunDiff& diff);

}  // namespace orrery::cli

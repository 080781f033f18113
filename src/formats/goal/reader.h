// GOAL schedules (what LogGOPSim simulates) into a Workload: the text, and the binary that txt2bin makes of it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::goal {

/// Reads a file, plain or compressed, text or binary: told apart by content. Every rank gets a Program of its own; ids
/// are the positions of the operations within the rank, names their labels. `requires` becomes Dependency::data,
/// `irequires` Dependency::start; edges are added in the order of the file, on which LogGOPSim's order of equal times
/// rests. The Error names the line (text) or the byte (binary).
Result<workload::Workload> read_workload(const std::string& path);

/// The same from memory; `path` is used in errors.
Result<workload::Workload> parse_workload(std::string_view bytes, const std::string& path);

// The two spellings, for parse_workload.

Result<workload::Workload> parse_text(std::string_view text, const std::string& path);
Result<workload::Workload> parse_binary(std::string_view bytes, const std::string& path);

}  // namespace orrery::goal

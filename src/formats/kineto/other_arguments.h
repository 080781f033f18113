// What events say beyond the arguments that became columns: grid and block, shapes, descriptions. They stay in the file
// until somebody asks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace orrery::kineto {

// Everything an event says, as written: for the arguments that did not become columns.

/// The JSON text of the event at byte `offset` of the (inflated) file, as RankTrace::source_offset gives it. A plain
/// file is read at that place only; a compressed one is inflated up to it.
Result<std::string> read_event_text(const std::string& path, std::uint64_t offset);

/// The same of many: visit(i, text) for each of `offsets`, which ascend. One pass, up to the last of them. A text is
/// followed by at least 64 readable bytes and valid during the call only.
Status visit_event_texts(const std::string& path, std::span<const std::uint64_t> offsets,
                         const std::function<void(std::size_t i, std::string_view text)>& visit);

/// Takes one argument: `key` without escapes, `json` its value as written. Both are valid during the call only.
using ArgumentVisitor = std::function<void(trace::EventIndex event, std::string_view key, std::string_view json)>;

/// Reads the file of the rank again, and visits the arguments of its events that are in no column of it, in the order
/// of the file. A key that an event has twice is visited twice. Ranks of other formats have none.
/// SourceInfo::has_other_arguments says whether it is worth the time.
Status visit_other_arguments(const trace::RankTrace& rank, const ArgumentVisitor& visit);

}  // namespace orrery::kineto

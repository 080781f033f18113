// Everything an event says, as written: for the arguments that did not become columns.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::kineto {

/// The JSON text of the event at byte `offset` of the (inflated) file, as RankTrace::source_offset gives it. A plain
/// file is read at that place only; a compressed one is inflated up to it.
Result<std::string> read_event_text(const std::string& path, std::uint64_t offset);

/// The same of many: visit(i, text) for each of `offsets`, which ascend. One pass, up to the last of them. A text is
/// followed by at least 64 readable bytes and valid during the call only.
Status visit_event_texts(const std::string& path, std::span<const std::uint64_t> offsets,
                         const std::function<void(std::size_t i, std::string_view text)>& visit);

}  // namespace orrery::kineto

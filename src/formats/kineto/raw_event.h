// Everything an event says, as written: for the arguments that did not become columns.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace orrery::kineto {

/// The JSON text of the event at byte `offset` of the (inflated) file, as RankTrace::source_offset gives it. A plain file is read at that place
/// only; a compressed one is inflated up to it.
Result<std::string> read_event_text(const std::string& path, std::uint64_t offset);

}  // namespace orrery::kineto

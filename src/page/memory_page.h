// The page of a memory snapshot: no events and no graph, but what fills the memory, over time and at its peak.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "page/page.h"
#include "page/sections/memory_section.h"
#include "page/sections/provenance_section.h"

namespace orrery::page {

/// `before`: an earlier snapshot that it is compared with; null: none. `diagnostics`: all that was remarked so far.
Page make_memory_page(const SnapshotMemory& memory, const SnapshotMemory* before, std::string title,
                      const PageSource& source, const Diagnostics& diagnostics);

}  // namespace orrery::page

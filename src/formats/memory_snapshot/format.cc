#include "formats/memory_snapshot/format.h"

#include "formats/memory_snapshot/reader.h"

namespace orrery::memory_snapshot {

// Only `memory` reads it: it is no recording of a run.
const formats::Format kFormat{.name = "memory_snapshot",
                              .title = "a memory snapshot of PyTorch, which orrery memory reads",
                              .content = formats::Content::companion,
                              .priority = 7,
                              .sniff = [](const formats::Head& head) { return looks_like_snapshot(head.bytes); }};

}  // namespace orrery::memory_snapshot

#include "formats/memory_timeline/format.h"

#include "formats/memory_timeline/reader.h"

namespace orrery::memory_timeline {

const formats::Format kFormat{.name = "memory timeline",
                              .title = "a memory timeline of PyTorch's profiler, which orrery memory reads",
                              .content = formats::Content::companion,
                              .priority = 39,  // before Kineto traces, which may be lists too, but of objects
                              .sniff = [](const formats::Head& head) { return looks_like_timeline(head.bytes); }};

}  // namespace orrery::memory_timeline

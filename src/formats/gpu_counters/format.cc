#include "formats/gpu_counters/format.h"

#include "formats/gpu_counters/counter_table.h"

namespace orrery::gpu_counters {

const formats::Format kFormat{.name = "gpu_counters",
                              .title = "a table of GPU counters, which is read beside a trace",
                              .content = formats::Content::companion,
                              .priority = 15,
                              .sniff = [](const formats::Head& head) { return is_counter_table(head.bytes); }};

}  // namespace orrery::gpu_counters

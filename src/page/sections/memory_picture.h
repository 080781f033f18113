// Pictures of a memory snapshot: allocated bytes over time, and how full segments are.
#pragma once

#include <cstdint>

#include "analyze/memory/memory_curve.h"
#include "report/html_writer.h"

namespace orrery::page {

/// The curve in bands, with the peak marked, and what the bands are. `full`: the bytes at its top. Nothing of a curve
/// without points.
void write_memory_curve(report::HtmlWriter& html, const analyze::MemoryCurve& curve,
                        const analyze::DeviceMemory& memory, std::int64_t full);

/// The segments of a device with most free bytes, from the lowest address to the highest: as high as they are in use.
void write_segments(report::HtmlWriter& html, const memory_snapshot::Snapshot& snapshot, std::int64_t device);

}  // namespace orrery::page

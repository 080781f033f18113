// Feeds arbitrary bytes to the reader of memory snapshots, lays the blocks out again, and draws the page.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "analyze/memory/memory_curve.h"
#include "analyze/memory/memory_peak.h"
#include "page/memory_page.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const std::string path = "/tmp/orrery-fuzz-snapshot-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  Diagnostics diagnostics;
  const auto snapshot = memory_snapshot::read_snapshot(path, diagnostics);
  if (!snapshot) return 0;
  const std::vector<analyze::DeviceMemory> devices = analyze::replay_allocator(*snapshot);
  for (const analyze::DeviceMemory& device : devices) {
    std::int64_t sum = 0, highest = 0;
    for (const analyze::PeakPart& part : analyze::peak_by_frame(*snapshot, device)) sum += part.bytes;
    const analyze::MemoryCurve curve =
        analyze::memory_curve(device, analyze::groups_by_phase(*snapshot, device), 100, 3);
    for (const analyze::CurvePoint& point : curve.points) highest = std::max(highest, point.bytes);
    if (sum == device.peak_allocated && (curve.points.empty() || highest == sum)) continue;
    std::fprintf(stderr, "what fills the peak does not add up to it, or the curve does not reach it\n");
    std::abort();
  }
  page::make_memory_page({*snapshot, devices, path}, nullptr, "fuzz", {}, diagnostics);
  return 0;
}

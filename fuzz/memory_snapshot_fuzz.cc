// Feeds arbitrary bytes to the reader of memory snapshots, and lays the blocks out again.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "analyze/memory/memory_peak.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const std::string path = "/tmp/orrery-fuzz-snapshot-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  Diagnostics diagnostics;
  const auto snapshot = memory_snapshot::read_snapshot(path, diagnostics);
  if (!snapshot) return 0;
  for (const analyze::DeviceMemory& device : analyze::replay_allocator(*snapshot)) {
    std::int64_t sum = 0;
    for (const analyze::PeakPart& part : analyze::peak_by_frame(*snapshot, device)) sum += part.bytes;
    if (sum == device.peak_allocated) continue;
    std::fprintf(stderr, "what fills the peak does not add up to it\n");
    std::abort();
  }
  return 0;
}

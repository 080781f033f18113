// Feeds arbitrary bytes to the reader of GPU counters. What is accepted has counters for its samples.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formats/gpu_counters/counter_table.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!gpu_counters::is_counter_table(bytes)) return 0;
  Diagnostics diagnostics;
  const auto table = gpu_counters::parse_counter_table(bytes, "fuzz", diagnostics);
  if (!table) {
    require(!table.error().message.empty() && table.error().file == "fuzz", "an error without its file");
    return 0;
  }
  require(!table->samples.empty(), "a table of nothing");
  for (const gpu_counters::Sample& sample : table->samples) {
    require(sample.counter < table->counters.size(), "a sample of no counter");
    require(sample.device >= 0 && std::isfinite(sample.value), "a sample that is none");
  }
  return 0;
}

// Feeds arbitrary bytes to the reader of TI traces. What is accepted can be matched, or is told why not.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formats/simgrid_ti/reader.h"
#include "workload/matching.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  Diagnostics diagnostics;
  const auto workload = simgrid_ti::parse_actions({reinterpret_cast<const char*>(data), size}, "fuzz.ti", &diagnostics);
  if (!workload) {
    require(!workload.error().message.empty(), "an error without words");
    return 0;
  }
  for (std::size_t rank = 0; rank < workload->rank_count(); ++rank) {
    const workload::Program& program = workload->program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) require(program.bytes[i] >= 0, "a negative size");
  }
  const auto matching = workload::Matching::of(*workload);
  require(matching.ok() || !matching.error().message.empty(), "an error without words");
  return 0;
}

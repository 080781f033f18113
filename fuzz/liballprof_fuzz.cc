// Feeds arbitrary bytes to the reader of liballprof traces.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formats/liballprof/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  liballprof::RankCalls calls;
  Diagnostics diagnostics;
  const Status parsed =
      liballprof::parse_rank({reinterpret_cast<const char*>(data), size}, "fuzz-0.txt", calls, diagnostics);
  require(parsed.ok() || parsed.error().file == "fuzz-0.txt", "an error without its file");
  const trace::RankTrace& rank = calls.read.rank.trace;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) require(rank.duration[e] >= 0, "a negative duration");
  for (const liballprof::NamedCommunicator& named : calls.communicators)
    require(named.rank < named.size, "a place outside its communicator");
  return 0;
}

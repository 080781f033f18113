// Perfetto traces: any bytes are read or refused, and what is read is sound.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "formats/perfetto/reader.h"

namespace {

using namespace orrery;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const trace::Trace& job) {
  for (const trace::RankTrace& rank : job.ranks) {
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      require(rank.lane[e] < rank.lanes.size() && rank.category[e] < rank.categories.size());
      require(rank.name[e] < job.strings.size());
      require(trace::is_moment(rank.start[e]) && trace::is_moment(Int128{rank.start[e]} + rank.duration[e]));
    }
    for (std::size_t i = 0; i < rank.flows.size(); ++i) require(rank.flows.lane[i] < rank.lanes.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("perfetto_fuzz", 0);
  require(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  perfetto::looks_like_perfetto({reinterpret_cast<const char*>(data), size}, true);
  for (const bool salvage : {false, true}) {
    Diagnostics diagnostics;
    const Result<trace::Trace> job = perfetto::read_job({path}, diagnostics, {.salvage = salvage, .operands = salvage});
    if (job) check(*job);
  }
  return 0;
}

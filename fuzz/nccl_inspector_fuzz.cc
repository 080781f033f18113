// Logs of NCCL's Inspector: any bytes are read or refused, and what is read is sound.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/diagnostics.h"
#include "formats/nccl_inspector/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const int file = ::memfd_create("nccl_inspector_fuzz", 0);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  Diagnostics diagnostics;
  const Result<trace::Trace> job = nccl_inspector::read_job({"/proc/self/fd/" + std::to_string(file)}, diagnostics);
  if (!job) return 0;
  for (const trace::RankTrace& rank : job->ranks) {
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      if (rank.lane[e] >= rank.lanes.size() || rank.duration[e] < 0) std::abort();
      if (!trace::is_moment(rank.start[e]) || !trace::is_moment(Int128{rank.start[e]} + rank.duration[e])) std::abort();
    }
  }
  return 0;
}

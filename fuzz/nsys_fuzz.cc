// Feeds arbitrary bytes to the readers of SQLite databases, as exports of Nsight Systems and as rocpd.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "formats/nsys/reader.h"
#include "formats/rocprof/format.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check(const orrery::Result<orrery::trace::Trace>& job, const std::string& path) {
  if (!job) return require(job.error().file == path && !job.error().message.empty(), "an error without its file");
  for (const orrery::trace::RankTrace& rank : job->ranks) {
    for (orrery::trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      require(rank.lane[e] < rank.lanes.size() && rank.name[e] < job->strings.size(), "an event without lane or name");
      require(rank.duration[e] >= 0, "an event that ends before it begins");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("orrery-fuzz-" + std::to_string(::getpid()) + ".sqlite")).string();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  for (const bool salvage : {false, true}) {
    orrery::Diagnostics diagnostics;
    check(orrery::nsys::read_job({path}, diagnostics, {.salvage = salvage, .operands = true}), path);
    check(orrery::rocprof::kDatabaseFormat.read_traces({path}, diagnostics, {.salvage = salvage, .operands = true}),
          path);
  }
  std::filesystem::remove(path);
  return 0;
}

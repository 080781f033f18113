// Feeds arbitrary bytes to the reader of measurements between clocks, as each kind of file, and aligns three small
// traces by what was read. Beyond not crashing: an error names its file or its reason, and a map that is found runs
// forward.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "align/alignment.h"
#include "formats/clock_sources/reader.h"

namespace {

using namespace orrery;

constexpr std::int64_t kEpochUnixNs = 1'794'702'945'000'000'000;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Three nodes, each with an event in every tenth of a second, half of them on the device's clock.
trace::Trace small_job() {
  trace::Trace job;
  job.epoch_unix_ns = kEpochUnixNs;
  for (std::int64_t node = 0; node < 3; ++node) {
    trace::RankTrace& rank = job.ranks.emplace_back();
    rank.rank = node;
    rank.epoch_unix_ns = kEpochUnixNs;
    rank.source.base_time_ns = kEpochUnixNs;
    rank.lanes.resize(2);
    rank.lanes[1].clock = 1;
    rank.categories.resize(1);
    for (std::uint32_t i = 0; i < 20; ++i) {
      rank.append_event({.start = i * kPsPerSecond / 10,
                         .duration = kPsPerSecond / 100,
                         .lane = i % 2,
                         .flags = trace::kHasDuration});
    }
  }
  return job;
}

void align_by(const trace::ClockSources& sources) {
  static const trace::Trace job = small_job();
  Diagnostics diagnostics;
  const Result<align::Alignment> alignment = align::align(job, sources, {}, diagnostics);
  if (!alignment) return require(!alignment.error().message.empty(), "an error without a reason");
  for (const align::NodeAlignment& node : alignment->nodes) {
    for (const std::uint8_t domain : {std::uint8_t{0}, std::uint8_t{1}}) {
      TimePs last = node.clock(domain).map(-1);
      for (const TimePs start : job.ranks[0].start) {
        const TimePs mapped = node.clock(domain).map(start);
        require(mapped > last, "a map that does not run forward");
        last = mapped;
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using clock_sources::Kind;
  static const int file = ::memfd_create("clock_sources_fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "cannot write");
  for (const Kind kind : {Kind::probes, Kind::probe_windows, Kind::offsets, Kind::snapshots}) {
    trace::ClockSources sources;
    Diagnostics diagnostics;
    const Status read = clock_sources::read(path, kind, sources, diagnostics);
    if (read.ok()) align_by(sources);
    else require(read.error().file == path, "an error without its file");
  }
  return 0;
}

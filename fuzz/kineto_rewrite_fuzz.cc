// Kineto files written with other times: any bytes are rewritten or refused, what is rewritten is restored to the byte
// and read at the clock's images, and any bytes are taken for an aligned file.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/diagnostics.h"
#include "base/int128.h"
#include "base/io/file_content.h"
#include "formats/kineto/reader.h"
#include "formats/kineto/rewriter.h"
#include "trace/trace.h"

namespace {

using namespace orrery;

const std::string& folder() {
  static const std::string path = [] {
    const char* memory = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    std::string made = std::string(memory) + "/orrery-kineto-fuzz-" + std::to_string(::getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

void require(bool holds) {
  if (!holds) std::abort();
}

/// Slopes below 1, above 1 and of 1, and a step, within the first millisecond.
const trace::Clock& bent_clock() {
  static const trace::Clock clock =
      *trace::Clock::from_knots(std::vector<trace::ClockKnot>{{-5'000, -9'000, 1},
                                                              {40'000, 11'000, 2},
                                                              {90'000'000, 190'000'001, 3},
                                                              {90'000'001, 300'000'000, 0},
                                                              {1'000'000'000, 1'000'000'001, 0}});
  return clock;
}

/// Where both readers took all events, their times are those of the clock.
void require_images(const trace::RankTrace& before, const trace::RankTrace& after, std::int64_t epoch_unix_ns) {
  if (after.event_count() != before.event_count()) return;  // an event may come within or out of reach of the first
  const TimePs from = (before.epoch_unix_ns - epoch_unix_ns) * kPsPerNs;
  const Int128 to = Int128{after.epoch_unix_ns - epoch_unix_ns} * kPsPerNs;
  for (trace::EventIndex e = 0; e < before.event_count(); ++e) {
    const TimePs start = before.start[e] + from, end = before.end(e) + from;
    const auto is_moment = [](TimePs time) { return time <= trace::kMaxMomentPs && time >= -trace::kMaxMomentPs; };
    if (!is_moment(start) || !is_moment(end)) return;
    require(after.start[e] + to == bent_clock().map(start));
    require(after.end(e) + to == bent_clock().map(end));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string in = folder() + "/in", out = folder() + "/out", back = folder() + "/back";
  std::ofstream(in, std::ios::binary) << bytes;
  Interner strings, strings_after;
  Diagnostics diagnostics;
  const Result<trace::RankTrace> rank = kineto::read_rank(in, strings, diagnostics);
  kineto::Retiming retiming{.clock = &bent_clock()};
  if (rank) retiming.epoch_unix_ns = rank->epoch_unix_ns, retiming.base_unix_ns = rank->source.base_time_ns.value_or(0);
  if (size % 2 == 0) retiming.note = "note";
  const Result<kineto::RewriteSummary> summary = kineto::rewrite(in, out, retiming);
  require(!summary || rank);  // what can be rewritten can be read
  if (summary) {
    const Result<std::string> text = read_whole_file(in, 1u << 28), rewritten = read_whole_file(out, 1u << 28);
    require(text && rewritten);
    if (*rewritten != *text) {
      require(kineto::undo(out, back).ok());
      require(*read_whole_file(back, 1u << 28) == *text);
    }
    const Result<trace::RankTrace> after = kineto::read_rank(out, strings_after, diagnostics);
    require(after.ok());
    require_images(*rank, *after, retiming.epoch_unix_ns);
  }
  (void)kineto::undo(in, back);
  return 0;
}

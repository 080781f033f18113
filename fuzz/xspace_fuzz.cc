// XSpace: any bytes are read or refused, and what can be rewritten can be restored to the byte.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/diagnostics.h"
#include "formats/xspace/merge.h"
#include "formats/xspace/naming.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/rewriter.h"
#include "trace/trace.h"

namespace {

using namespace orrery;

const std::string& folder() {
  static const std::string path = [] {
    const char* memory = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    std::string made = std::string(memory) + "/orrery-xspace-fuzz-" + std::to_string(::getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A slope below 1, above 1 and of 1, and a step.
const trace::Clock& bent_clock() {
  static const trace::Clock clock =
      *trace::Clock::from_knots(std::vector<trace::ClockKnot>{{-5'000, -9'000, 1},
                                                              {40'000, 11'000, 2},
                                                              {90'000, 190'001, 3},
                                                              {90'001, 300'000, 0},
                                                              {1'000'000'000, 1'000'209'999, 0}});
  return clock;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string in = folder() + "/in", out = folder() + "/out", back = folder() + "/back";
  std::ofstream(in, std::ios::binary) << bytes;
  Interner strings;
  Diagnostics diagnostics;
  const Result<trace::RankTrace> rank = xspace::read_rank(in, strings, diagnostics);
  xspace::looks_like_xspace(std::string_view(bytes).substr(0, 64));
  xspace::Retiming retiming;
  retiming.record = size % 2 == 0 ? "" : "note";
  if (rank) {
    retiming.epoch_unix_ns = rank->epoch_unix_ns;
    retiming.origin_unix_ns = rank->epoch_unix_ns - (rank->epoch_unix_ns > 7 ? 7 : 0);
    retiming.host_clock = &bent_clock();
    for (std::size_t lane = 0; lane < rank->lanes.size(); ++lane)
      retiming.clock_of_lane.push_back(lane % 3 == 2 ? nullptr : &bent_clock());
  }
  const Result<xspace::RewriteSummary> summary = xspace::rewrite(in, out, retiming);
  if (summary) {
    const std::string rewritten = content_of(out);
    // What is compressed comes out inflated.
    const bool is_plain = rank && rank->source.text_bytes == rank->source.file_bytes;
    if (rewritten != bytes && !xspace::undo(out, back).ok()) std::abort();
    if (is_plain && rewritten != bytes && content_of(back) != bytes) std::abort();
    Interner again;
    if (rank && !xspace::read_rank(out, again, diagnostics)) std::abort();
    (void)xspace::merge({{in, 0}, {out, 1}}, back);
  }
  (void)xspace::undo(in, back);
  return 0;
}

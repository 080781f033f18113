#include "base/progress.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

namespace orrery {
namespace {

constexpr std::int64_t kMs = 1'000'000;

struct Recorder {
  std::int64_t now_ns = 0;
  std::vector<std::string> lines;

  Progress::Sink sink() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
  Progress::ClockNs clock() {
    return [this] { return now_ns; };
  }
};

}  // namespace

TEST_CASE("a line says how far, how fast and how long still") {
  CHECK(format_progress("reading", 0, 1000, 0) == "reading  0 %");
  CHECK(format_progress("simulating", 3000, 0, 2, "events") == "simulating  3,000 events  1,500 events/s");
  CHECK(format_progress("reading", 500'000'000, 2'000'000'000, 1) == "reading  25 %  500 MB/s  3 s left");
  CHECK(format_progress("reading", 2'000'000'000, 2'000'000'000, 4) == "reading  100 %  500 MB/s");
  CHECK(format_progress("reading", 1'000'000, 0, 1) == "reading  1.00 MB  1.00 MB/s");
  CHECK(format_progress("x", 1'000, 1'000'000, 1) == "x  0 %  1.00 kB/s  16 min left");
  CHECK(format_progress("x", 1, 1'000'000, 1) == "x  0 %  1 B/s  277 h 46 min left");
  CHECK(format_progress("x", 3, 2, 1) == "x  100 %  3 B/s");  // more than announced
}

TEST_CASE("at most ten lines a second, none for quick work, and the last one is wiped") {
  Recorder recorder;
  {
    Progress progress("reading", 1000, recorder.sink(), recorder.clock());
    for (int i = 0; i < 1000; ++i) {
      recorder.now_ns = i * kMs;
      progress.add(1);
    }
    CHECK(progress.done_bytes() == 1000);
    CHECK(recorder.lines.size() == 9);
    CHECK(recorder.lines.front().starts_with("\r\x1b[Kreading  10 %"));
  }
  CHECK(recorder.lines.size() == 10);
  CHECK(recorder.lines.back() == "\r\x1b[K");
  recorder.lines.clear();
  { Progress("quick", 10, recorder.sink(), recorder.clock()).add(10); }
  CHECK(recorder.lines.empty());
}

TEST_CASE("after finish nothing is drawn") {
  Recorder recorder;
  Progress progress("reading", 1000, recorder.sink(), recorder.clock());
  recorder.now_ns = 200 * kMs;
  progress.add(1);
  progress.finish();
  const std::size_t lines = recorder.lines.size();
  recorder.now_ns = 900 * kMs;
  progress.add(1);
  progress.finish();
  CHECK(recorder.lines.size() == lines);
  CHECK(progress.done_bytes() == 2);
}

TEST_CASE("not at a terminal, or not wanted: nothing is drawn") {
  Progress unwanted("reading", 10, false);
  unwanted.add(10);
  Progress silent("reading", 10, {}, [] { return std::int64_t{0}; });
  silent.add(10);
  CHECK(silent.done_bytes() == 10);
}

TEST_CASE("many threads may add") {
  std::atomic<std::int64_t> ticks = 0;
  std::atomic<int> lines = 0;
  const auto count_line = [&](std::string_view) { ++lines; };
  Progress progress("reading", 40'000, count_line, [&] { return ticks += 10'000; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) progress.add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(progress.done_bytes() == 40'000);
  CHECK(lines <= 4);  // 40,000 looks at a clock that moves by 10 us: 0.4 s
}

}  // namespace orrery

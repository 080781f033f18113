#include "formats/xspace/rewriter.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>

#include "formats/xspace/random_space.h"
#include "formats/xspace/reader.h"
#include "formats/xspace/space_writer.h"
#include "support/temp_dir.h"

namespace orrery::xspace {
namespace {

using namespace testing;
using orrery::testing::read_file;
using orrery::testing::TempDir;

struct ReadAgain {
  Interner strings;
  Diagnostics diagnostics;
  trace::RankTrace rank;
};

ReadAgain read(const std::string& path) {
  ReadAgain reading;
  Result<trace::RankTrace> rank = read_rank(path, reading.strings, reading.diagnostics);
  REQUIRE(rank.ok());
  reading.rank = std::move(*rank);
  return reading;
}

Retiming identity(std::size_t lanes, std::int64_t start_unix_ns) {
  return {.clock_of_lane = std::vector<const trace::Clock*>(lanes, nullptr),
          .epoch_unix_ns = start_unix_ns,
          .origin_unix_ns = start_unix_ns};
}

/// Two lines with nested events, unknown members at every level, an aggregated event and an instant.
std::string sample_space() {
  Line threads{"threads", 7, 1'000};
  threads.events = {{"outer", 500, 10'000'003},
                    {"inner", 500, 10'000'003, {number_stat("device_offset_ps", 77)}},
                    {"instant", 3'000'001},
                    {"counted", 0, 12, {}, 5},
                    {"last", 9'000'007, 1'000, {text_stat("note", "text")}, {}, false, "??"}};
  threads.unknown = "line";
  Line other{"other", -5, 0, {{"first", 0, 5, {}, {}, true}, {"second", 10, 20}}};
  other.duration_ps = 40;
  return write_space({{"/host:CPU", {threads, other}, {number_stat("process_id", 4)}, 3, "plane"}, environment()});
}

TEST_CASE("rewriting without a change is byte-identical") {
  const TempDir dir;
  const std::string bytes = sample_space();
  const std::string in = dir.write("in.pb", bytes), out = dir.path("out.pb");
  SUBCASE("no clocks") { REQUIRE(rewrite(in, out, identity(2, kStartUnixNs)).ok()); }
  SUBCASE("no lanes named") { REQUIRE(rewrite(in, out, identity(0, kStartUnixNs)).ok()); }
  SUBCASE("clocks that change nothing") {
    const trace::Clock clock = trace::Clock::identity();
    Retiming retiming = identity(2, kStartUnixNs);
    retiming.clock_of_lane = {&clock, &clock};
    retiming.host_clock = &clock;
    const Result<RewriteSummary> summary = rewrite(in, out, retiming);
    REQUIRE(summary.ok());
    CHECK(summary->events == 6);
    CHECK(summary->events_moved == 0);
    CHECK(summary->untimed_events == 1);
    CHECK(summary->remembered == 0);
  }
  CHECK(read_file(out) == bytes);
}

TEST_CASE("starts and ends are mapped, and the origin is where times count from") {
  const TempDir dir;
  const std::string in = dir.write("in.pb", sample_space()), out = dir.path("out.pb");
  // 3/2 as fast: sub-nanosecond offsets, odd durations.
  const trace::Clock fast =
      *trace::Clock::from_knots(std::vector<trace::ClockKnot>{{0, 0, 0}, {2'000'000'000, 3'000'000'000, 0}});
  const trace::Clock shift = trace::Clock::offset(2'500);
  const Retiming retiming{.clock_of_lane = {&fast, &shift},
                          .host_clock = &shift,
                          .epoch_unix_ns = kStartUnixNs,
                          .origin_unix_ns = kStartUnixNs - 50,
                          .record = "why"};
  const Result<RewriteSummary> summary = rewrite(in, out, retiming);
  REQUIRE(summary.ok());
  CHECK(summary->lines == 2);
  CHECK(summary->events == 6);
  CHECK(summary->events_moved == 6);

  const ReadAgain before = read(in), after = read(out);
  CHECK(after.rank.epoch_unix_ns == kStartUnixNs - 50);
  REQUIRE(after.rank.event_count() == before.rank.event_count());
  REQUIRE(after.rank.lanes.size() == 2);
  const TimePs origin_shift = 50 * kPsPerNs;
  for (trace::EventIndex e = 0; e < before.rank.event_count(); ++e) {
    CAPTURE(e);
    const trace::Clock& clock = before.rank.lane[e] == 0 ? fast : shift;
    CHECK(after.rank.start[e] == clock.map(before.rank.start[e]) + origin_shift);
    CHECK(after.rank.end(e) == clock.map(before.rank.end(e)) + origin_shift);
    CHECK(after.strings.text(after.rank.name[e]) == before.strings.text(before.rank.name[e]));
  }
  const std::string bytes = read_file(out);
  for (const char* kept : {"line", "plane", "??", "a host", "device_offset_ps", "why"})
    CHECK(bytes.find(kept) != std::string::npos);
}

TEST_CASE("undo restores the bytes of the file, also what was absent") {
  const TempDir dir;
  const std::string bytes = sample_space();
  const std::string in = dir.write("in.pb", bytes), out = dir.path("out.pb"), back = dir.path("back.pb");
  // A slope of a third: most pictures are shared by three readings.
  const trace::Clock slow =
      *trace::Clock::from_knots(std::vector<trace::ClockKnot>{{0, 1, 7}, {3'000'000'000, 1'000'000'001, 9}});
  const Retiming retiming{.clock_of_lane = {&slow, &slow},
                          .host_clock = &slow,
                          .epoch_unix_ns = kStartUnixNs - 3,
                          .origin_unix_ns = kStartUnixNs - 1'000};
  const Result<RewriteSummary> summary = rewrite(in, out, retiming);
  REQUIRE(summary.ok());
  CHECK(summary->remembered > 0);
  CHECK(read_file(out) != bytes);
  REQUIRE(undo(out, back).ok());
  CHECK(read_file(back) == bytes);

  SUBCASE("twice aligned, twice undone") {
    const std::string twice = dir.path("twice.pb"), once = dir.path("once.pb");
    REQUIRE(rewrite(out, twice, retiming).ok());
    REQUIRE(undo(twice, once).ok());
    CHECK(read_file(once) == read_file(out));
  }
  SUBCASE("nothing to undo") {
    const Status status = undo(in, dir.path("never.pb"));
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().message.find("no alignment to undo") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(dir.path("never.pb")));
  }
  SUBCASE("a file changed since is not restored to something else") {
    std::string changed = read_file(out);
    changed[changed.find("device_offset_ps")] = 'D';
    const Status status = undo(dir.write("changed.pb", changed), dir.path("never.pb"));
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().message.find("changed after its alignment") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(dir.path("never.pb")));
  }
  SUBCASE("compressed") {
    REQUIRE(rewrite(in, dir.path("out.pb.gz"), retiming).ok());
    REQUIRE(undo(dir.path("out.pb.gz"), dir.path("again.pb")).ok());
    CHECK(read_file(dir.path("again.pb")) == bytes);
  }
}

TEST_CASE("an old file without a start keeps counting from an origin that is written down") {
  const TempDir dir;
  const std::string bytes = write_space({{"/host:CPU", {{"t", 1, 100, {{"a", 5, 7}}}}}});
  const std::string in = dir.write("in.pb", bytes), out = dir.path("out.pb"), back = dir.path("back.pb");
  const trace::Clock clock = trace::Clock::offset(3'000'000);
  REQUIRE(rewrite(in, out, {.clock_of_lane = {&clock}, .origin_unix_ns = 40}).ok());
  const ReadAgain after = read(out);
  CHECK(after.rank.epoch_unix_ns == 40);
  CHECK(after.rank.start[0] == 100'000 + 5 + 3'000'000 - 40'000);
  REQUIRE(undo(out, back).ok());
  CHECK(read_file(back) == bytes);
}

TEST_CASE("random files and warps: order and nesting stay, and undo is exact") {
  const TempDir dir;
  CHECK(rc::check([&] {
    const std::string bytes = write_space(random_planes());
    const std::string in = dir.write("in.pb", bytes), out = dir.path("out.pb"), back = dir.path("back.pb");
    const ReadAgain before = read(in);
    std::vector<trace::Clock> clocks;
    for (std::size_t i = 0; i < 3; ++i) clocks.push_back(random_clock());
    Retiming retiming{.host_clock = &clocks[0],
                      .epoch_unix_ns = before.rank.epoch_unix_ns,
                      .origin_unix_ns = before.rank.epoch_unix_ns - *rc::gen::inRange(-1'000'000, 1'000'000)};
    for (std::size_t lane = 0; lane < before.rank.lanes.size(); ++lane) {
      const auto chosen = *rc::gen::inRange<std::size_t>(0, 4);
      retiming.clock_of_lane.push_back(chosen == 3 ? nullptr : &clocks[chosen]);
    }
    const Result<RewriteSummary> summary = rewrite(in, out, retiming);
    RC_ASSERT(summary.ok());
    const ReadAgain after = read(out);
    RC_ASSERT(after.rank.event_count() == before.rank.event_count());
    const TimePs shift = (before.rank.epoch_unix_ns - after.rank.epoch_unix_ns) * kPsPerNs;
    for (trace::EventIndex e = 0; e < before.rank.event_count(); ++e) {
      const trace::Clock* clock = retiming.clock_of_lane[before.rank.lane[e]];
      const auto mapped = [&](TimePs t) { return (clock == nullptr ? t : clock->map(t)) + shift; };
      RC_ASSERT(after.rank.start[e] == mapped(before.rank.start[e]));
      RC_ASSERT(after.rank.end(e) == mapped(before.rank.end(e)));
      for (trace::EventIndex f = 0; f < e; ++f) {
        if (before.rank.lane[e] != before.rank.lane[f]) continue;
        RC_ASSERT((before.rank.start[e] < before.rank.start[f]) >= (after.rank.start[e] < after.rank.start[f]));
        RC_ASSERT((before.rank.end(e) <= before.rank.end(f)) <= (after.rank.end(e) <= after.rank.end(f)));
      }
    }
    RC_ASSERT(undo(out, back).ok() || read_file(out) == bytes);
    if (read_file(out) != bytes) RC_ASSERT(read_file(back) == bytes);
  }));
}

TEST_CASE("what cannot be rewritten is refused with a position, and leaves no file") {
  const TempDir dir;
  const std::string out = dir.path("out.pb");
  const auto refused = [&](const std::string& bytes, const Retiming& retiming) {
    const Result<RewriteSummary> summary = rewrite(dir.write("in.pb", bytes), out, retiming);
    REQUIRE_FALSE(summary.ok());
    CHECK_FALSE(std::filesystem::exists(out));
    return summary.error();
  };
  const trace::Clock clock = trace::Clock::offset(1);
  const Retiming retiming{.clock_of_lane = {&clock}, .epoch_unix_ns = kStartUnixNs, .origin_unix_ns = kStartUnixNs};
  SUBCASE("a file cut short") {
    const std::string bytes = sample_space();
    CHECK(refused(bytes.substr(0, bytes.size() / 2), retiming).offset != Error::kNoOffset);
  }
  SUBCASE("an offset written twice") {
    const std::string event("\x22\x06\x08\x01\x10\x05\x10\x06", 8);  // metadata_id 1, offset_ps 5, offset_ps 6
    const std::string line = "\x1A" + std::string(1, static_cast<char>(event.size())) + event;
    const Error error =
        refused("\x0A" + std::string(1, static_cast<char>(line.size())) + line, {.clock_of_lane = {&clock}});
    CHECK(error.offset == 10);
  }
  SUBCASE("a length in more bytes than it needs") {
    const std::string line("\x1A\x86\x00\x22\x04\x08\x01\x10\x05", 9);
    CHECK(refused("\x0A\x09" + line, {.clock_of_lane = {&clock}}).offset == 2);
  }
  SUBCASE("a number of ten bytes, of which the last has bits that readers drop") {
    const std::string line("\x1A\x0B\x18\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x09", 13);  // timestamp_ns
    CHECK(refused("\x0A\x0D" + line, {.clock_of_lane = {&clock}}).offset == 4);
  }
  SUBCASE("clocks years apart") {
    Retiming far = retiming;
    far.origin_unix_ns = 0;
    CHECK(refused(sample_space(), far).message.find("26 days apart") != std::string::npos);
  }
  SUBCASE("an empty file") { CHECK(refused("", retiming).message.find("empty") != std::string::npos); }
}

TEST_CASE("an event that does not fit 64 bits of picoseconds is left as it is, and restored") {
  const TempDir dir;
  const std::string bytes = write_space(
      {{"/host:CPU", {{"t", 1, 100, {{"far", 9'000'000'000'000'000'000, 7}, {"near", 5, 6}}}}}, environment()});
  const std::string in = dir.write("in.pb", bytes), out = dir.path("out.pb"), back = dir.path("back.pb");
  const trace::Clock clock = trace::Clock::offset(5'000'001);
  const Result<RewriteSummary> summary =
      rewrite(in, out, {.clock_of_lane = {&clock}, .epoch_unix_ns = kStartUnixNs, .origin_unix_ns = kStartUnixNs});
  REQUIRE(summary.ok());
  CHECK(summary->remembered == 1);
  CHECK(summary->events_moved == 1);
  REQUIRE(undo(out, back).ok());
  CHECK(read_file(back) == bytes);
}

/// The recordings in data/, and those in the folder that ORRERY_XSPACE_SAMPLES names.
std::vector<std::string> recordings() {
  std::vector<std::string> files;
  std::vector<std::filesystem::path> folders = {std::filesystem::path(ORRERY_SOURCE_DIR) / "data/jax_cpu4"};
  if (const char* more = std::getenv("ORRERY_XSPACE_SAMPLES"); more != nullptr) folders.emplace_back(more);
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().string();
      if (name.ends_with(".xplane.pb") || name.ends_with(".xplane.pb.gz")) files.push_back(name);
    }
  }
  return files;
}

TEST_CASE("recordings survive a drifting, stepping clock and its undoing to the byte") {
  const TempDir dir;
  for (const std::string& path : recordings()) {
    CAPTURE(path);
    Interner strings;
    Diagnostics diagnostics;
    const Result<trace::RankTrace> rank = read_rank(path, strings, diagnostics);
    if (!rank) {
      CHECK(path.find("tpu_inference_2.v2") != std::string::npos);  // a public file that is damaged
      continue;
    }
    const std::string plain = dir.path("plain.pb"), out = dir.path("out.pb"), back = dir.path("back.pb");
    REQUIRE(rewrite(path, plain, identity(0, rank->epoch_unix_ns)).ok());  // inflated, as it is
    std::vector<trace::ClockKnot> knots;
    for (TimePs t = 0; t < 40; ++t)
      knots.push_back({t * kPsPerSecond, t * (kPsPerSecond - 29'999'999) + (t > 20 ? 87'654'321 : 0), 5});
    const trace::Clock clock = *trace::Clock::from_knots(knots);
    const trace::Clock device = clock.compose(trace::Clock::offset(-1'234'567));
    Retiming retiming{
        .host_clock = &clock, .epoch_unix_ns = rank->epoch_unix_ns, .origin_unix_ns = rank->epoch_unix_ns - 12'345};
    for (const trace::Lane& lane : rank->lanes) retiming.clock_of_lane.push_back(lane.clock == 0 ? &clock : &device);
    const Result<RewriteSummary> summary = rewrite(plain, out, retiming);
    REQUIRE(summary.ok());
    CHECK(summary->events == rank->event_count());
    REQUIRE(undo(out, back).ok());
    CHECK(read_file(back) == read_file(plain));
  }
}

}  // namespace
}  // namespace orrery::xspace

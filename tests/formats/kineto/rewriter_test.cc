// Files written again with other times, and back to the byte.
#include "formats/kineto/rewriter.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <filesystem>

#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "formats/kineto/random_events.h"
#include "formats/kineto/reading.h"
#include "support/random_clock.h"
#include "support/temp_dir.h"

namespace orrery::kineto {
namespace {

using namespace testing;
using orrery::testing::random_clock;
using orrery::testing::TempDir;

const trace::Clock kAhead = trace::Clock::offset(2'000'250'000);  // 2000.25 us

std::string bytes_of(const std::string& path) { return orrery::testing::read_file(path); }

std::string replace_all(std::string text, std::string_view old, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += by.size())
    text.replace(at, old.size(), by);
  return text;
}

struct Rewritten {
  std::string text;
  RewriteSummary summary;
  std::string restored;
};

/// The text rewritten, and that undone unless nothing was changed, each read back as bytes.
Rewritten rewrite_text(const TempDir& dir, const std::string& text, const Retiming& retiming) {
  const std::string in = dir.write("in.json", text);
  const Result<RewriteSummary> summary = rewrite(in, dir.path("out.json"), retiming);
  REQUIRE_MESSAGE(summary.ok(), summary.error().to_string());
  if (bytes_of(dir.path("out.json")) == text) return {text, *summary, text};
  const Status undone = undo(dir.path("out.json"), dir.path("back.json"));
  REQUIRE_MESSAGE(undone.ok(), undone.error().to_string());
  return {bytes_of(dir.path("out.json")), *summary, bytes_of(dir.path("back.json"))};
}

/// Everything before the record.
std::string_view before_record(std::string_view text) { return text.substr(0, text.find(",\n\"orreryAlignment\"")); }

constexpr std::int64_t kBase = 1'700'000'000'000'000'000;
const std::string kSample = R"({
  "schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "odd": {"ts": 5},
  "traceEvents": [
  {"ph": "X", "name": "op", "pid": 1, "tid": 2, "ts": 1000.500, "dur": 10.000, "args": {"ts": 7, "stack": ["\"ts\": 8"], "n": {"dur": 9}}},
  {"ph": "X", "dur": 0, "ts": 1001, "pid": 1, "tid": 2},
  {"ph": "i", "s": "g", "name": "instant", "ts": 1002.25},
  {"ph": "C", "name": "counter", "pid": 1, "ts": 1003, "args": {"dur": 1}},
  {"ph": "s", "id": 4, "pid": 1, "tid": 2, "ts": 1000.500, "cat": "ac2g"},
  {"ph": "f", "id": 4, "pid": 0, "tid": 7, "ts": 1008.750, "cat": "ac2g", "bp": "e"},
  {"ph": "M", "name": "process_name", "pid": 1, "ts": 0.000, "args": {"name": "python"}},
  {"ph": "X", "name": "no time"}, 17, {"ph": "X", "ts": "text", "dur": 4}
  ],
  "traceName": "a \"ts\": 9.json"
}
)";

}  // namespace

TEST_CASE("ts and dur of timed events change, and no other byte") {
  const TempDir dir;
  const Rewritten result =
      rewrite_text(dir, kSample, {.clock = &kAhead, .epoch_unix_ns = kBase, .base_unix_ns = kBase, .note = "why"});
  std::string expected = replace_all(kSample, "\"ts\": 1000.500", "\"ts\": 3000.750");
  expected = replace_all(expected, "\"ts\": 1001,", "\"ts\": 3001.25,");
  expected = replace_all(expected, "\"ts\": 1002.25", "\"ts\": 3002.50");
  expected = replace_all(expected, "\"ts\": 1003,", "\"ts\": 3003.25,");
  expected = replace_all(expected, "\"ts\": 1008.750", "\"ts\": 3009.000");
  CHECK(before_record(result.text) == expected.substr(0, expected.size() - 2));
  CHECK(result.text.ends_with("}}\n"));
  CHECK(result.text.find("\"note\":\"why\"") != std::string::npos);
  CHECK(result.restored == kSample);
  CHECK(result.summary.events == 6);
  CHECK(result.summary.events_moved == 6);
  CHECK(result.summary.unusable == 0);
}

TEST_CASE("a clock that changes nothing changes no byte; with a note only the record is added") {
  const TempDir dir;
  const trace::Clock identity = trace::Clock::identity();
  const std::string in = dir.write("in.json", kSample);
  REQUIRE(rewrite(in, dir.path("same.json"), {.clock = &identity}).ok());
  CHECK(bytes_of(dir.path("same.json")) == kSample);
  const Rewritten result = rewrite_text(dir, kSample, {.clock = &identity, .note = "the reference"});
  CHECK(before_record(result.text) == kSample.substr(0, kSample.size() - 2));
  CHECK(result.restored == kSample);
  CHECK(result.summary.remembered == 0);
}

TEST_CASE("any document comes back to the byte, and is read at exactly the clock's images") {
  const TempDir dir;
  CHECK(rc::check([&] {
    const trace::Clock clock = random_clock();
    const Style style = random_style();
    const auto base = *rc::gen::element<std::int64_t>(0, 1'700'000'000'000'000'001, -5);
    std::string text = *rc::gen::element<std::string>("", "\xEF\xBB\xBF", "\n ") + "{";
    text += "\"baseTimeNanoseconds\"" + style.colon + std::to_string(base) + style.comma;
    text +=
        "\"traceEvents\":[" + join_events(random_events(), style) + *rc::gen::element<std::string>("]", ",]", " ]\n");
    text += *rc::gen::element<std::string>("}", ",}", ", \"traceName\": \"x\" }\n",
                                           ",\n\"traceEvents\": [{\"ph\":\"i\",\"ts\":5}]}", "} more",
                                           std::string("}\0\0", 3));
    const Reading before = read_file(dir.write("first.json", text));
    RC_PRE(before.rank.has_value());
    const auto epoch = before.rank->epoch_unix_ns - *rc::gen::inRange<std::int64_t>(0, 2'000'000'001);
    const Rewritten result = rewrite_text(
        dir, text,
        {.clock = &clock, .epoch_unix_ns = epoch, .base_unix_ns = base, .note = *rc::gen::element("", "note")});
    RC_ASSERT(result.restored == text);

    const Reading after = read_file(dir.path("out.json"));
    RC_ASSERT(after.rank.has_value());
    const trace::RankTrace &a = *before.rank, &b = *after.rank;
    RC_ASSERT(b.event_count() == a.event_count());
    RC_ASSERT(b.flows.size() == a.flows.size());
    const TimePs from_clock = (a.epoch_unix_ns - epoch) * kPsPerNs, to_clock = (b.epoch_unix_ns - epoch) * kPsPerNs;
    for (trace::EventIndex e = 0; e < a.event_count(); ++e) {
      RC_ASSERT(b.start[e] + to_clock == clock.map(a.start[e] + from_clock));
      RC_ASSERT(b.end(e) + to_clock == clock.map(a.end(e) + from_clock));
      RC_ASSERT(a.duration[e] != 0 || b.duration[e] == 0);
    }
    for (std::size_t f = 0; f < a.flows.size(); ++f)
      RC_ASSERT(b.flows.time[f] + to_clock == clock.map(a.flows.time[f] + from_clock));
  }));
}

TEST_CASE("how a file spells its numbers is learned: hardly any have to be remembered") {
  const TempDir dir;
  const auto document_of = [](const std::vector<std::string>& numbers) {
    std::string events;
    for (const std::string& number : numbers)
      events +=
          (events.empty() ? "" : ",\n") + std::string(R"({"ph":"X","ts":)") + number + R"(,"dur":)" + number + "}";
    return document(events);
  };
  const Retiming retiming{.clock = &kAhead};
  SUBCASE("today's profilers: always three decimals") {
    const std::string text = document_of({"1.500", "2.000", "3.141", "10.000"});
    const Rewritten result = rewrite_text(dir, text, retiming);
    CHECK(result.summary.remembered == 0);
    CHECK(result.restored == text);
  }
  SUBCASE("whole microseconds") {
    const std::string text = document_of({"1", "20", "300", "4000", "50"});
    const Rewritten result = rewrite_text(dir, text, retiming);
    CHECK(result.summary.remembered == 1);
    CHECK(result.restored == text);
  }
  SUBCASE("Python: as many as needed, at least one") {
    const std::string text = document_of({"1.125", "2.25", "3.0", "4.75", "5.0", "6.125", "7.5"});
    const Rewritten result = rewrite_text(dir, text, retiming);
    CHECK(result.summary.remembered == 2);
    CHECK(result.restored == text);
  }
  SUBCASE("exponents and digits below a picosecond") {
    const std::string text = document_of({"1e2", "1.5E+3", "12.34567891", "-0.0", "7.000"});
    const Rewritten result = rewrite_text(dir, text, retiming);
    CHECK(result.summary.remembered == 5);
    CHECK(result.restored == text);
  }
}

TEST_CASE("times that are no clock's stay as they are and are counted") {
  const TempDir dir;
  const std::string text =
      document(R"({"ph":"i","ts":1},{"ph":"i","ts":9e30},{"ph":"X","ts":2,"dur":4e15},{"ph":"X","ts":3e12,"dur":1})");
  const Rewritten result = rewrite_text(dir, text, {.clock = &kAhead});
  CHECK(result.summary.events == 4);
  CHECK(result.summary.events_moved == 1);
  CHECK(result.summary.unusable == 3);
  CHECK(result.restored == text);
  for (const char* kept : {"9e30", "4e15", "3e12"}) CHECK(result.text.find(kept) != std::string::npos);
}

TEST_CASE("files that count from different moments agree afterwards") {
  const TempDir dir;
  const auto start_of = [&](std::int64_t base, const std::string& ts, const trace::Clock& clock) {
    const std::string text =
        "{\"baseTimeNanoseconds\": " + std::to_string(base) + R"(, "traceEvents": [{"ph":"i","ts":)" + ts + "}]}";
    rewrite_text(dir, text, {.clock = &clock, .epoch_unix_ns = 1'700'000'000'000'000'000, .base_unix_ns = base});
    const Reading reading = read_file(dir.path("out.json"));
    REQUIRE(reading.rank);
    return (reading.rank->epoch_unix_ns - 1'700'000'000'000'000'000) * kPsPerNs + reading.rank->start[0];
  };
  const trace::Clock behind = trace::Clock::offset(3'000'000);  // its clock shows 3 us too little
  CHECK(start_of(1'700'000'000'000'000'007, "10.000", trace::Clock::identity()) == 10'007'000);
  CHECK(start_of(1'699'999'999'999'000'007, "1007.000", behind) == 10'007'000);
  CHECK(start_of(0, "1700000000000007.007", behind) == 10'007'000);
}

TEST_CASE("large files, plain and compressed, are copied in blocks") {
  const TempDir dir;
  std::string events;
  for (int i = 0; events.size() < 9u << 20; ++i) {
    const std::string number = std::to_string(i * 10) + "." + std::to_string(100 + i % 900);
    // Now and then one that is longer than a block.
    if (i % 20'000 == 9'000)
      events += R"({"ph": "X", "ts": 5.25, "args": {"stack": ")" + std::string(1'300'000, 's') + R"("}, "dur": 1},)";
    events +=
        R"({"ph": "X", "name": "op", "ts": )" + number + R"(, "dur": )" + number + R"(, "args": {"ts": 1}},)" + "\n";
  }
  const std::string text = document(events + R"({"ph":"i","ts":1})");
  const trace::Clock slow =
      *trace::Clock::from_knots(std::vector<trace::ClockKnot>{{0, 5, 0}, {900'000'000'000, 899'990'000'000, 0}});
  for (const std::string name : {"in.json", "in.json.gz", "in.json.zst"}) {
    CAPTURE(name);
    const std::string bytes = name == "in.json" ? text : name == "in.json.gz" ? gzip(text) : zstd(text);
    const std::string in = dir.write(name, bytes), out = dir.path("out_" + name), back = dir.path("back_" + name);
    REQUIRE(rewrite(in, out, {.clock = &slow}).ok());
    CHECK(detect_compression(bytes_of(out)) == detect_compression(bytes));
    REQUIRE(undo(out, back).ok());
    CHECK(detect_compression(bytes_of(back)) == detect_compression(bytes));
    CHECK(*read_whole_file(back, 1u << 28) == text);
    CHECK(*read_whole_file(out, 1u << 28) == *read_whole_file(dir.path("out_in.json"), 1u << 28));
  }
}

TEST_CASE("twice aligned, twice undone") {
  const TempDir dir;
  const Retiming retiming{.clock = &kAhead, .note = "why"};
  const std::string in = dir.write("in.json", kSample);
  REQUIRE(rewrite(in, dir.path("once.json"), retiming).ok());
  REQUIRE(rewrite(dir.path("once.json"), dir.path("twice.json"), retiming).ok());
  REQUIRE(undo(dir.path("twice.json"), dir.path("back1.json")).ok());
  CHECK(bytes_of(dir.path("back1.json")) == bytes_of(dir.path("once.json")));
  REQUIRE(undo(dir.path("back1.json"), dir.path("back0.json")).ok());
  CHECK(bytes_of(dir.path("back0.json")) == kSample);
}

TEST_CASE("what cannot be written leaves nothing behind") {
  const TempDir dir;
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    const Result<RewriteSummary> result = rewrite(dir.write(name, bytes), dir.path("never.json"), {.clock = &kAhead});
    REQUIRE_FALSE(result.ok());
    CHECK_FALSE(std::filesystem::exists(dir.path("never.json")));
    CHECK(result.error().file == dir.path(name));
    return result.error().message + " | " + result.error().hint;
  };
  CHECK(refusal("array.json", R"([{"ph":"i","ts":1}])").find("bare list of events") != std::string::npos);
  CHECK(refusal("array.json.gz", gzip(R"([{"ph":"i","ts":1})")).find("traceEvents") != std::string::npos);
  CHECK(refusal("none.json", R"({"a": 1})").find("no traceEvents") != std::string::npos);
  CHECK(refusal("cut.json", kSample.substr(0, 700)).find("cannot be written again") != std::string::npos);
  CHECK(refusal("cut.json.gz", gzip(kSample).substr(0, 200)) != "");
  const trace::Clock far = trace::Clock::offset(trace::kMaxMomentPs + 1);
  CHECK_FALSE(rewrite(dir.write("in.json", kSample), dir.path("never.json"), {.clock = &far}).ok());
}

TEST_CASE("what cannot be restored is refused") {
  const TempDir dir;
  const Retiming retiming{.clock = &kAhead, .note = "why"};
  REQUIRE(rewrite(dir.write("in.json", kSample), dir.path("out.json"), retiming).ok());
  const std::string good = bytes_of(dir.path("out.json"));
  const auto refusal = [&](const std::string& text) {
    const Status status = undo(dir.write("bad.json", text), dir.path("never.json"));
    REQUIRE_FALSE(status.ok());
    CHECK_FALSE(std::filesystem::exists(dir.path("never.json")));
    return status.error().message;
  };
  CHECK(refusal(kSample).find("no alignment to undo") != std::string::npos);
  CHECK(refusal(replace_all(good, "python", "Python")).find("changed after") != std::string::npos);
  CHECK(refusal(replace_all(good, "3009.000", "3009.001")).find("changed after") != std::string::npos);
  CHECK(refusal(replace_all(good, "\"version\":1", "\"version\":2")).find("cannot be read") != std::string::npos);
  CHECK(refusal(replace_all(good, "\"clock\":[[", "\"clock\":[[[],")).find("cannot be read") != std::string::npos);
  CHECK(refusal(replace_all(good, "\"clock\":[[0,", "\"clock\":[[9223372036854775807,")).find("cannot be read") !=
        std::string::npos);
  CHECK(refusal(replace_all(good, "}}\n", "}, \"more\": 1}\n")).find("no alignment to undo") != std::string::npos);
  CHECK(refusal(good.substr(0, good.size() - 5)).find("ends inside") != std::string::npos);
}

}  // namespace orrery::kineto

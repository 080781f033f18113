// The same bits however a file is read: in one go or in parts, packed or plain, by one thread or two.
#include "formats/kineto/stretches.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <atomic>
#include <filesystem>

#include "base/io/file_content.h"
#include "random_events.h"
#include "reading.h"

namespace orrery::kineto::testing {
namespace {

constexpr std::size_t kInOnePart = 1u << 30;

std::string read_in_parts(const std::string& text, std::size_t part_bytes, bool salvage = false) {
  const Threads two(2);
  return to_text(read_text(text, {.salvage = salvage, .part_bytes = part_bytes}), Detail::all);
}

std::string read_in_one_go(const std::string& text, bool salvage = false) {
  const Threads one(1);
  return to_text(read_text(text, {.salvage = salvage}), Detail::all);
}

/// All ways at once; returns what they agree on.
std::string check_all_ways(const std::string& text) {
  const std::string expected = read_in_one_go(text);
  for (const std::size_t part_bytes : {std::size_t{200}, std::size_t{1000}, std::size_t{4096}, text.size() / 3 + 1}) {
    CAPTURE(part_bytes);
    CHECK(first_difference(read_in_parts(text, part_bytes), expected) == "");
  }
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    CHECK(first_difference(read_in_one_go(packed), expected) == "");
    CHECK(first_difference(read_in_parts(packed, 4096), expected) == "");
  }
  return expected;
}

/// Events in the manner of Kineto, `count` of them, from `first` on.
std::string some_events(int count, int first = 0) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    const std::string number = std::to_string(i);
    if (i > first) text += ",\n";
    text += R"(  {"ph": "X", "cat": ")" +
            std::string(i % 3 == 0   ? "cpu_op"
                        : i % 3 == 1 ? "kernel"
                                     : "cuda_runtime") +
            R"(", "name": "op )" + std::to_string(i % 17) + R"(", "pid": )" + std::to_string(i % 2) + R"(, "tid": )" +
            (i % 5 == 0 ? "\"stream " + std::to_string(i % 7) + "\"" : std::to_string(i % 4)) + R"(, "ts": )" +
            std::to_string(5'000'000 + i * 3) + "." + std::to_string(i % 10) + R"(, "dur": )" + std::to_string(i % 9) +
            R"(.5, "args": {"External id": )" + number + R"(, "correlation": )" + number +
            R"(, "stream": 7, "dtype": "type )" + std::to_string(i % 23) + R"("}})";
    if (i % 6 == 0)
      text += R"(, {"ph": "s", "id": )" + number + R"(, "pid": 0, "tid": 1, "ts": )" +
              std::to_string(5'000'000 + i * 3) + R"(, "cat": "ac2g", "name": "ac2g"})";
    if (i % 6 == 1)
      text += R"(, {"ph": "f", "id": "text )" + std::to_string(i % 31) + R"(", "pid": 1, "tid": 1, "ts": )" +
              std::to_string(5'000'000 + i * 3) + R"(, "cat": "fwdbwd", "name": "fwdbwd"})";
  }
  return text;
}

}  // namespace

TEST_CASE("a plain trace") {
  const std::string text = check_all_ways(document(some_events(300)));
  CHECK(text.find("entry 399") != std::string::npos);
}

TEST_CASE("values before and after the events") {
  check_all_ways(
      R"({"baseTimeNanoseconds": 1711964646000000000, "before": [{"ph": "X"}, {"ph": "X"}], "traceEvents": [)" +
      some_events(200) +
      R"(], "after": {"a": [{"ph": "X", "ts": 1}, {"ph": "X", "ts": 2}]}, "distributedInfo": {"rank": 7}, "deviceProperties": [{"id": 0, "name": "GPU"}]})");
}

TEST_CASE("a bare array, closed or not") {
  for (const char* end : {"]", "", ",", ",\n", "]\n\n"}) {
    CAPTURE(end);
    const std::string text = check_all_ways("[" + some_events(200) + end);
    CHECK(text.find("error") == std::string::npos);
  }
}

TEST_CASE("lanes named at the start, at the end, and twice") {
  const auto named = [](const char* kind, int pid, int tid, const std::string& name) {
    return R"({"ph": "M", "name": ")" + std::string(kind) + R"(", "pid": )" + std::to_string(pid) + R"(, "tid": )" +
           std::to_string(tid) + R"(, "args": {"name": ")" + name + R"("}})";
  };
  const std::string text = check_all_ways(
      document(named("process_name", 0, 0, "first name") + "," + named("thread_name", 0, 0, "first thread name") + "," +
               some_events(150) + "," + named("thread_name", 0, 0, "second thread name") + "," +
               named("process_name", 1, 0, "GPU \\u0030") + "," + some_events(150, 150) + "," +
               named("process_name", 0, 0, "last name") + "," + named("thread_name", 1, 1, "late thread name")));
  CHECK(text.find(R"(lane 0/0 process "last name" thread "first thread name")") != std::string::npos);
  CHECK(text.find(R"(lane 1/1 process "GPU 0" thread "late thread name")") != std::string::npos);
}

TEST_CASE("text inside events that looks like an event") {
  std::string events;
  for (int i = 0; i < 200; ++i) {
    events +=
        std::string(i == 0 ? "" : ",\n") + R"({"ph": "X", "ts": )" + std::to_string(i) +
        R"(, "dur": 1, "name": "decoy", "args": {"list": [{"a": 1}, {"ph": "X", "name": "inner", "ts": 1}, {"ph": "E"}], "text": "}, {\"ph\": \"X\"}, {"}})";
  }
  const std::string text = check_all_ways(document(events));
  CHECK(text.find("inner") == std::string::npos);
  // Nothing but decoys behind the events.
  std::string decoys;
  for (int i = 0; i < 200; ++i) decoys += R"({"ph": "X", "ts": 1, "dur": 2}, )";
  check_all_ways(R"({"traceEvents": [)" + some_events(50) + R"(], "decoys": [)" + decoys + "1]}");
  check_all_ways(R"({"decoys": [)" + decoys + R"(1], "traceEvents": [)" + some_events(50) + "]}");
  check_all_ways(R"({"decoys": ")" + std::string(3000, 'x') + R"(},{\"ph\": 1},{"a", "traceEvents": [)" +
                 some_events(50) + "]}");
}

TEST_CASE("begin and end events far apart") {
  std::string events = R"({"ph": "B", "name": "outer", "pid": 1, "tid": 1, "ts": 5000001})";
  events += "," + some_events(100) + R"(, {"ph": "B", "name": "inner", "pid": 1, "tid": 1, "ts": 5000100},)" +
            some_events(100, 100);
  events += R"(, {"ph": "E", "pid": 1, "tid": 1, "ts": 5000200}, )" + some_events(100, 200) +
            R"(, {"ph": "E", "pid": 1, "tid": 1, "ts": 5000900}, {"ph": "E", "pid": 1, "tid": 1, "ts": 5000901})";
  const std::string text = check_all_ways(document(events));
  CHECK(text.find(R"(5000001 + 899 B - "outer")") != std::string::npos);
  CHECK(text.find("K108 x1") != std::string::npos);
}

TEST_CASE("a first part without a single time stamp") {
  std::string metadata;
  for (int i = 0; i < 50; ++i)
    metadata += R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": )" + std::to_string(i) +
                R"(, "args": {"name": "thread"}}, {"ph": "X", "dur": 1}, )";
  const std::string text = check_all_ways(document(metadata + some_events(100)));
  CHECK(text.find("epoch 5000000000 ") != std::string::npos);
}

TEST_CASE("odd records in every part: counts and examples do not depend on the parts") {
  std::string events;
  for (int i = 0; i < 40; ++i) {
    events +=
        some_events(4, i * 4) + R"(, {"ph": "X", "name": "bad )" + "\xff" +
        R"(", "ts": 5000000.0000001, "dur": -1}, {"ph": "X", "ts": 5000000}, {"ph": "?", "ts": 5000000}, 17, {"ph": "X", "ts": "x"}, {"ph": "X"},
      {"ph": "M", "name": "thread_name", "pid": 9, "tid": 9, "args": {"name": "bad )" +
        "\xfe" + R"("}}, {"ph": "s", "id": ")" + "\xfd" + R"(", "ts": 5000000, "cat": ")" + "\xfc" + R"("}, )";
  }
  const std::string text = check_all_ways(document(events + some_events(1, 900)));
  CHECK(text.find("K106 x3 (byte") != std::string::npos);
  CHECK(text.find("K103 x40") != std::string::npos);
  CHECK(text.find("K102 x40") != std::string::npos);
}

TEST_CASE("times that are out of range for some parts only") {
  // Weeks before the events of its part, but within reach of the first event of the file.
  const std::string far = R"({"ph": "X", "name": "far", "ts": 2000000000000, "dur": 1})";
  const std::string back = R"({"ph": "X", "name": "back", "ts": -1000000000000, "dur": 1})";
  const std::string beyond = R"({"ph": "X", "name": "beyond", "ts": 2500000000000, "dur": 1})";
  const auto repeat = [](const std::string& event, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += event + ", ";
    return text;
  };
  check_all_ways(document(repeat(far, 30) + back));
  check_all_ways(document(some_events(20) + ", " + repeat(far, 60) + repeat(back, 5) + far));
  check_all_ways(document(some_events(20) + ", " + repeat(beyond, 60) + some_events(20, 20)));
  check_all_ways(document(repeat(far, 20) + repeat(back, 60) + far));
}

TEST_CASE("damage in any part: the same error, the same events salvaged") {
  const std::string text = document(some_events(120));
  for (std::size_t at = 100; at < text.size(); at += 1223) {
    for (const std::string& damaged :
         {text.substr(0, at), std::string(text).replace(at, 1, "}"), std::string(text).replace(at, 1, "\""),
          std::string(text).replace(at, 1, "\\")}) {
      CAPTURE(at);
      CHECK(first_difference(read_in_parts(damaged, 900), read_in_one_go(damaged)) == "");
      CHECK(first_difference(read_in_parts(damaged, 900, true), read_in_one_go(damaged, true)) == "");
    }
  }
}

TEST_CASE("text after the document") { check_all_ways(document(some_events(100)) + document(some_events(100))); }

TEST_CASE("random documents") {
  CHECK(rc::check([] {
    const Style style = random_style();
    std::string events;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
      events += (events.empty() ? "" : ",") + join_events(random_events(), style);
    const std::string text = *rc::gen::inRange(0, 3) == 0 ? "[" + events : document(events);
    const auto part_bytes = *rc::gen::inRange<std::size_t>(20, 500);
    RC_LOG() << text << "\n";
    RC_ASSERT(read_in_parts(text, part_bytes) == read_in_one_go(text));
  }));
}

TEST_CASE("real traces") {
  const std::filesystem::path folder = std::filesystem::path(ORRERY_SOURCE_DIR) / "data";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(".kineto.json.gz")) continue;
    ++files;
    CAPTURE(entry.path().string());
    const Threads one(1);
    const std::string packed = to_text(read_file(entry.path().string()), Detail::all);
    const auto text = read_whole_file(entry.path().string(), kInOnePart);
    REQUIRE(text.ok());
    CHECK(first_difference(read_in_one_go(*text), packed) == "");
    CHECK(first_difference(read_in_parts(*text, 64u << 10), packed) == "");
    CHECK(first_difference(read_in_parts(orrery::testing::read_file(entry.path().string()), 64u << 10), packed) == "");
  }
  CHECK(files >= 7);
}

TEST_CASE("progress counts every byte once, also when the parts do not meet") {
  for (const std::string& text :
       {document(some_events(100)), document(R"({"ph": "B", "ts": 1}, )" + some_events(100))}) {
    const Threads two(2);
    std::atomic<std::uint64_t> total = 0;
    ReadOptions options;
    options.part_bytes = 1000;
    options.on_progress = [&](std::uint64_t bytes) { total += bytes; };
    REQUIRE(read_text(text, options).rank.has_value());
    CHECK(total == text.size());
  }
}

TEST_CASE("guesses of where an event starts") {
  const auto guess = [](std::string text, std::uint64_t from, std::uint64_t limit = 1000) {
    const std::size_t size = text.size();
    text.resize(size + 64, '\0');
    return guess_event_start(std::string_view(text).substr(0, size), from, limit);
  };
  const std::string text = R"([{"ph": "X"}, {"no": 1}, {"ph": "i"} ,
 {"ph": "B"}])";
  CHECK(guess(text, 0) == 25);
  CHECK(guess(text, 25) == 25);
  CHECK(guess(text, 26) == 40);
  CHECK(guess(text, 41) == std::nullopt);
  CHECK(guess(text, 1, 10) == std::nullopt);
  CHECK(guess(text, 1000) == std::nullopt);
  CHECK(guess("", 0) == std::nullopt);
}

}  // namespace orrery::kineto::testing

// Bad input: an error that names the file and the byte, or the events before the damage. Never a crash, never a silent
// end.
#include <doctest/doctest.h>

#include <filesystem>

#include "reading.h"
#include "windows.h"

namespace orrery::kineto::testing {
namespace {

const std::string kSmallTrace = R"({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "GPU", "numSms": 132}],
  "traceEvents": [
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1306, "tid": 1306,
    "ts": 3843505893493.716, "dur": 12.5,
    "args": {
      "External id": 1,"Sequence number": 45, "Input Dims": [[8, 16], [16, 4]], "Concrete Inputs": ["", "\"x\""]
    }
  },
  {
    "ph": "X", "cat": "kernel", "name": "void gemm<\"\u00e9\">", "pid": 0, "tid": 7,
    "ts": 3843505893500.001, "dur": 3,
    "args": {
      "device": 0, "stream": 7, "correlation": 20, "load": -1.5e-3, "flag": true, "none": null
    }
  },
  {"ph": "s", "id": 20, "pid": 1306, "tid": 1306, "ts": 3843505893494.000, "cat": "ac2g", "name": "ac2g"},
  {"name": "process_name", "ph": "M", "ts": 3843505893493.716, "pid": 0, "tid": 0, "args": {"name": "GPU 0"}},
  {"ph": "X", "cat": "Trace", "name": "last", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 3843505893493, "dur": 100}
  ],
  "traceName": "small.json"
})";

void check_error(const Reading& reading, std::size_t file_bytes) {
  REQUIRE(reading.error.has_value());
  CHECK(reading.error->file == reading.path);
  CHECK(reading.error->offset <= file_bytes);
  CHECK_FALSE(reading.error->message.empty());
  CHECK_FALSE(reading.error->hint.empty());
}

/// Every event of `part` is the same event of `whole`.
void check_prefix(const Reading& part, const Reading& whole) {
  REQUIRE(part.rank->event_count() <= whole.rank->event_count());
  for (trace::EventIndex e = 0; e < part.rank->event_count(); ++e)
    CHECK(event_text(*part.rank, part.strings, e) == event_text(*whole.rank, whole.strings, e));
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("a plain trace cut at any byte: an error, or with salvage the events before") {
  const Reading whole = read_text(kSmallTrace);
  REQUIRE(whole.rank->event_count() == 3);
  std::size_t most_salvaged = 0;
  for (std::size_t size = 0; size < kSmallTrace.size(); ++size) {
    CAPTURE(size);
    const std::string cut = kSmallTrace.substr(0, size);
    check_error(read_text(cut), size);
    const Reading salvaged = read_text(cut, {.salvage = true});
    if (!salvaged.rank) {
      check_error(salvaged, size);
      CHECK(most_salvaged == 0);
      continue;
    }
    CHECK(salvaged.diagnostics.count(kSalvaged) == 1);
    check_prefix(salvaged, whole);
    CHECK(salvaged.rank->event_count() >= most_salvaged);
    most_salvaged = salvaged.rank->event_count();
  }
  CHECK(most_salvaged == 3);
}

TEST_CASE("a bare array cut at any byte: complete events may stand at its end, unfinished ones are an error") {
  const std::string text =
      R"([{"ph": "X", "name": "a", "ts": 1, "dur": 1},  {"ph": "X", "name": "b", "ts": 2, "dur": 1} , ])";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const std::string cut = text.substr(0, size);
    const Reading reading = read_text(cut);
    const std::size_t last = cut.find_last_not_of(" ,[");
    const bool between_events = size > 0 && (last == std::string::npos || cut[last] == '}');
    CHECK(reading.rank.has_value() == between_events);
    if (reading.rank)
      CHECK(reading.rank->event_count() == static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '}')));
    else check_error(reading, size);
  }
}

TEST_CASE("a packed trace cut at any byte: always an error, and salvage keeps what was inflated") {
  const Reading whole = read_text(kSmallTrace);
  for (const std::string& packed : {gzip(kSmallTrace), zstd(kSmallTrace)}) {
    for (std::size_t size = 0; size < packed.size(); ++size) {
      CAPTURE(size);
      const std::string cut = packed.substr(0, size);
      check_error(read_text(cut), size);
      const Reading salvaged = read_text(cut, {.salvage = true});
      if (salvaged.rank) check_prefix(salvaged, whole);
      else check_error(salvaged, size);
    }
  }
}

TEST_CASE("a large packed trace cut in the middle: the position is in the packed file, salvage keeps a part") {
  std::string events;
  for (int i = 0; i < 40'000; ++i)
    events += std::string(i == 0 ? "" : ",\n") + R"({"ph": "X", "cat": "cpu_op", "name": "op )" +
              std::to_string(i * 7919 % 40'009) + R"(", "ts": )" + std::to_string(i) + R"(, "dur": 1})";
  const std::string text = document(events);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const std::string cut = packed.substr(0, packed.size() / 2);
    const Reading refused = read_text(cut);
    check_error(refused, cut.size());
    CHECK(refused.error->offset >= cut.size() - 100);
    for (const std::size_t threads : {1u, 2u}) {
      const Threads count(threads);
      const Reading salvaged = read_text(cut, {.salvage = true});
      REQUIRE(salvaged.rank.has_value());
      CHECK(salvaged.rank->event_count() > 5'000);
      CHECK(salvaged.rank->event_count() < 35'000);
      CHECK(salvaged.rank->source.text_bytes > 0);
    }
  }
}

TEST_CASE("one bit changed anywhere: no crash, and what is read is sound") {
  std::size_t refused = 0, read = 0;
  for (std::size_t at = 0; at < kSmallTrace.size(); ++at) {
    for (const int bit : {0, 1, 2, 4, 5, 7}) {
      std::string text = kSmallTrace;
      text[at] = static_cast<char>(text[at] ^ (1 << bit));
      const Reading reading = read_in_windows(text, [] { return std::size_t{100}; });
      if (reading.error) ++refused;
      if (!reading.rank) continue;
      ++read;
      CAPTURE(at);
      CAPTURE(bit);
      CHECK(find_fault(*reading.rank, reading.strings) == "");
      CHECK(reading.rank->source.entries >= 1);
    }
  }
  CHECK(refused > 500);  // structure
  CHECK(read > 2000);    // text and numbers
}

TEST_CASE("one bit changed anywhere in a packed trace: refused, but for the few bytes that carry nothing") {
  for (const std::string& packed : {gzip(kSmallTrace), zstd(kSmallTrace)}) {
    std::size_t accepted = 0;
    for (std::size_t at = 0; at < packed.size(); ++at) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      if (read_text(damaged).rank) ++accepted;
    }
    CHECK(accepted <= 8);  // gzip's time stamp, flags and system
  }
}

TEST_CASE("nesting a million deep is refused wherever it stands") {
  constexpr std::size_t kDeep = 1'000'000;
  const std::string arrays = nested(kDeep, "[", "]");
  const std::string objects = nested(kDeep, R"({"a":)", "}");
  for (const std::string& deep : {arrays, objects, nested(kDeep, R"([{"a":)", "}]"), nested(kDeep, "[", "")}) {
    for (const std::string& text : {document(R"({"ph": "X", "ts": 1, "args": {"x": )" + deep + "}}"),
                                    document(R"({"ph": "X", "ts": 1, "args": )" + deep + "}"),
                                    R"({"top": )" + deep + R"(, "traceEvents": []})", document(deep), deep}) {
      for (const std::string& bytes : {text, gzip(text)}) {
        const Reading reading = read_text(bytes);
        REQUIRE(reading.error.has_value());
        CHECK(reading.error->message == "nested deeper than 512 levels");
        CHECK(reading.error->file == reading.path);
        CHECK(reading.error->offset < 100);
      }
    }
  }
}

TEST_CASE("nesting as deep as profilers write it is fine") {
  const Reading reading = read_text(R"({"top": )" + nested(500, "[", "]") +
                                    R"(, "traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "args": {"x": )" +
                                    nested(250, R"({"a":[)", "]}") + "}}]}");
  REQUIRE(reading.rank.has_value());
  CHECK(reading.rank->event_count() == 1);
}

TEST_CASE("what is no trace is refused with a hint") {
  using namespace std::string_literals;
  const orrery::testing::TempDir folder;
  const auto error_of = [&](const std::string& content) {
    const Reading reading = read_text(content);
    REQUIRE(reading.error.has_value());
    CHECK(reading.error->file == reading.path);
    CHECK(reading.error->offset != Error::kNoOffset);
    return reading.error->message + " | " + reading.error->hint;
  };
  // A Chakra trace: length-delimited protobuf. Its first byte is the length of the first message and may be anything, {
  // and [ included.
  for (const std::string& first : {"\x0c"s, "{"s, "["s, "\n"s, " "s}) {
    CAPTURE(first);
    CHECK(error_of(first + "\x0a\x05"
                           "0.0.4\x12\x08\x0a\x04name\x62\x00\x13\x08\x01\x12\x0f"s) != "");
  }
  CHECK(error_of("\x0c\x0a\x05"
                 "0.0.4"s)
            .find("Chakra") != std::string::npos);
  CHECK(error_of(gzip(gzip(kSmallTrace))).find("compressed twice") != std::string::npos);
  CHECK(error_of(zstd(gzip(kSmallTrace))).find("compressed twice") != std::string::npos);
  CHECK(error_of(gzip("")).find("empty") != std::string::npos);
  CHECK(error_of("PK\x03\x04").find("not JSON") != std::string::npos);
  CHECK(error_of("<html></html>").find("not JSON") != std::string::npos);
  CHECK(error_of("\"text\"").find("not JSON") != std::string::npos);
  CHECK(error_of("17").find("not JSON") != std::string::npos);
}

TEST_CASE("no file, a folder, a device") {
  const orrery::testing::TempDir folder;
  const Reading directory = read_file(folder.path());
  REQUIRE(directory.error.has_value());
  CHECK(directory.error->to_string() == folder.path() + ": is a directory, not a file");
  CHECK(read_file(folder.path("missing.json")).error->to_string() ==
        folder.path("missing.json") + ": cannot open: No such file or directory");
  CHECK(read_file("/dev/null").error->message == "is a device, not a file");
}

TEST_CASE("a file that ends at a page border is not read beyond it") {
  // The padding behind a mapped file ends with the page; a scanner that reads further crashes here.
  for (const std::size_t pages : {1u, 2u}) {
    for (const std::size_t short_by : {0u, 1u, 63u, 64u, 65u, 80u}) {
      const std::size_t size = pages * 4096 - short_by;
      std::string text = "[";
      while (text.size() + 400 < size) text += R"({"ph": "X", "name": "some name", "ts": 1, "dur": 1},)";
      const std::string head = R"({"ph": "X", "name": ")";
      text += head + std::string(size - text.size() - head.size(), 'x');
      REQUIRE(text.size() == size);
      CHECK(read_text(text).error->message == "the file ends inside an event");
      text.back() = '\\';
      CHECK(read_text(text).error->message == "the file ends inside an event");
    }
  }
}

TEST_CASE("zero bytes in a key do not lead the learned skeleton behind the end") {
  // 150 zero bytes in a key, learned from the first event; the second is cut there, and what follows a file is zeros.
  const std::string zeros(150, '\0');
  const std::string first = R"({"ph": "X", "ts": 1, "dur": 1, "key)" + zeros + R"(": 1})";
  const std::string second = R"({"ph": "X", "ts": 2, "dur": 1, "key)";
  const std::string text = "[" + first + "," + second;
  CHECK(read_in_windows(text, [&] { return text.size(); }).error.has_value());
  std::string padded = std::string(2 * 4096 - 64 - text.size(), ' ') + text;
  CHECK(read_text(padded).error.has_value());
}

TEST_CASE("views of one window are not used in the next") {
  // The second flow has no id: the text of the first one's must not be taken, its window is gone.
  const std::string text =
      R"([{"ph": "s", "id": "a long text id, long enough to be on the heap", "ts": 1, "pid": "process", "tid": "thread"}, {"ph": "f", "ts": 2}])";
  const Reading reading = read_in_windows(
      text, [first = true]() mutable { return std::exchange(first, false) ? std::size_t{110} : std::size_t{1000}; });
  REQUIRE(reading.rank.has_value());
  REQUIRE(reading.rank->flows.size() == 2);
  CHECK(reading.rank->flows.id[0] != reading.rank->flows.id[1]);
}

TEST_CASE("more categories than fit become unknown, not the first one") {
  std::string events;
  for (int i = 0; i < 66'000; ++i)
    events += std::string(i == 0 ? "" : ",") + R"({"ph":"X","ts":1,"dur":1,"cat":")" +
              (i == 0 ? "kernel" : std::to_string(i)) + R"("})";
  const Reading reading = read_text(document(events));
  REQUIRE(reading.rank.has_value());
  REQUIRE(reading.rank->event_count() == 66'000);
  CHECK(reading.diagnostics.count(kTooManyCategories) > 900);
  CHECK(reading.rank->activity(0) == trace::Activity::kernel);
  CHECK(reading.rank->activity(65'999) == trace::Activity::other);
  // The same in parts, none of which has too many by itself.
  const Threads two(2);
  const Reading in_parts = read_text(document(events), {.part_bytes = 1u << 20});
  CHECK(first_difference(to_text(in_parts, Detail::all), to_text(reading, Detail::all)) == "");
}

}  // namespace orrery::kineto::testing

// The document around the events, in every shape that writers give it, and handed over in pieces of any size.
#include "formats/kineto/document.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/io/inflate.h"
#include "reading.h"
#include "windows.h"

namespace orrery::kineto::testing {
namespace {

constexpr const char* kBom = "\xEF\xBB\xBF";

/// Names of the events, or the error without its hint.
std::string names_in(std::string_view text) {
  const Reading reading = read_text(text);
  if (reading.error) {
    CHECK(reading.error->file == reading.path);
    CHECK_FALSE(reading.error->hint.empty());
    return reading.error->message;
  }
  std::string names;
  for (const StringId name : reading.rank->name) names += std::string(reading.strings.text(name)) + " ";
  return names;
}

std::uint64_t position_of_error(std::string_view text) {
  const Reading reading = read_text(text);
  REQUIRE(reading.error.has_value());
  return reading.error->offset;
}

const std::string kOne = R"({"ph": "X", "name": "one", "ts": 1, "dur": 1})";
const std::string kTwo = R"({"ph": "X", "name": "two", "ts": 2, "dur": 1})";

/// A document with something of everything.
std::string mixed_document() {
  return std::string(kBom) +
         R"( { "schemaVersion" : 1 , "deviceProperties": [{"id": 0, "name": "H200 \"x\"", "totalGlobalMem": 7, "numSms": 3}],
    "traceEvents" : [ 17 , "text", )" +
         kOne + " ,\n" + kTwo +
         R"(, {"ph":"s","id":"0x7","ts":3.25,"pid":"a","tid":"b","cat":"ac2g"},{"ph":"B","ts":1.5,"name":"b"},{"ph":"E","ts":2.5},
    {"ph":"M","name":"process_name","pid":0,"args":{"name":"python \u00e9"}},{"args":{"nested":{"a":[1,[2,"]"]]},"stream":"7","correlation":123456789012},"ts":1e3,"ph":"X","dur":NaN},
    {"ph": "X", "name": "three", "ts": 3.141592, "dur": 1, "args": {"stream": 7, "dtype": "Float"}}, ] , "distributedInfo": {"rank": 3}, "traceName": "x" } )";
}

}  // namespace

TEST_CASE("white space may stand anywhere, in any amount, or nowhere") {
  const std::string tokens[] = {"{",          "\"a\"",    ":",    "1",        ",",         "\"traceEvents\"",
                                ":",          "[",        "{",    "\"ph\"",   ":",         "\"X\"",
                                ",",          "\"name\"", ":",    "\"one\"",  ",",         "\"ts\"",
                                ":",          "1",        ",",    "\"args\"", ":",         "{",
                                "\"stream\"", ":",        "7",    ",",        "\"other\"", ":",
                                "[",          "1",        ",",    "2",        "]",         "}",
                                "}",          ",",        "{",    "}",        "]",         ",",
                                "\"b\"",      ":",        "null", "}"};
  for (const char* space : {"", " ", "\n", "\r\n", "\t", "  \n\t  ",
                            "\n                                                                      "}) {
    CAPTURE(space);
    std::string text = space;
    for (const std::string& token : tokens) text += token + space;
    CHECK(names_in(text) == "one ");
    CHECK(read_text(text).rank->field(trace::Field::stream).find(0) == 7);
  }
}

TEST_CASE("a byte order mark is passed over") {
  CHECK(names_in(kBom + document(kOne)) == "one ");
  CHECK(names_in(kBom + ("[" + kOne + "]")) == "one ");
  CHECK(names_in(std::string(kBom) + " \n [" + kOne + "]") == "one ");
  CHECK(names_in(kBom) == "the file is empty");
  CHECK(names_in(kBom + std::string("   ")) == "the file is empty");
}

TEST_CASE("empty lists and documents") {
  CHECK(names_in("[]") == "");
  CHECK(names_in("[") == "");
  CHECK(names_in(" [ ] ") == "");
  CHECK(names_in(R"({"traceEvents":[]})") == "");
  CHECK(names_in("") == "the file is empty");
  CHECK(names_in(" \n ") == "the file is empty");
  CHECK(names_in("{}") == "there is no traceEvents list in this file");
  CHECK(names_in(R"({"a": 1})") == "there is no traceEvents list in this file");
  CHECK(names_in(R"({"traceEvents": null})") == "there is no traceEvents list in this file");
  CHECK(names_in(R"({"traceEvents": "[]"})") == "there is no traceEvents list in this file");
  CHECK(names_in(R"({"TraceEvents": [], "traceevents": []})") == "there is no traceEvents list in this file");
}

TEST_CASE("the key of the event list may be escaped") {
  CHECK(names_in(R"({"trace\u0045vents": [)" + kOne + "]}") == "one ");
}

TEST_CASE("a bare array may be left open after an event, but not inside one") {
  CHECK(names_in("[" + kOne + "," + kTwo + "]") == "one two ");
  CHECK(names_in("[" + kOne + "," + kTwo) == "one two ");
  CHECK(names_in("[" + kOne + "," + kTwo + ",") == "one two ");
  CHECK(names_in("[" + kOne + ",\n" + kTwo + ",\n") == "one two ");
  CHECK(names_in("[" + kOne + "," + kTwo.substr(0, kTwo.size() - 1)) == "the file ends inside an event");
  CHECK(names_in(R"({"traceEvents": [)" + kOne) == "the file ends inside the document");
  CHECK(names_in(R"({"traceEvents": [)" + kOne + "]") == "the file ends inside the document");
}

TEST_CASE("commas too many or too few") {
  CHECK(names_in("[" + kOne + ",]") == "one ");
  CHECK(names_in("[" + kOne + ",," + kTwo + "]") == "expected an event");
  CHECK(names_in("[," + kOne + "]") == "expected an event");
  CHECK(names_in("[" + kOne + kTwo + "]") == "expected , or ] after an event");
  CHECK(names_in(R"({"a": 1 "traceEvents": []})") == "expected , or } after a value");
  CHECK(names_in(R"({"a" 1})") == "expected : after a key");
  CHECK(names_in(R"({"a": , "traceEvents": []})") == "expected a value");
  CHECK(names_in(R"({a: 1})") == "expected a key");
  CHECK(names_in(R"({"traceEvents": [)" + kOne + "}") == "expected , or ] after an event");
}

TEST_CASE("errors tell the byte") {
  CHECK(position_of_error("") == 0);
  CHECK(position_of_error("  x") == 2);
  CHECK(position_of_error("[" + kOne + ",," + kTwo + "]") == kOne.size() + 2);
  CHECK(position_of_error(R"({"a": 1 "b": 2})") == 8);
  CHECK(position_of_error(R"([{"ph": "X" "ts": 1}])") == 12);
  CHECK(position_of_error(R"([{"ts": 1}, {"ts": x}])") == 19);
  CHECK(position_of_error("[" + kOne + "," + kTwo.substr(0, 20)) ==
        kOne.size() + 2);  // where the unfinished event begins
}

TEST_CASE("what follows the document is not read, and that is said") {
  CHECK(names_in(document(kOne) + " \r\n\t ") == "one ");
  CHECK(read_text(document(kOne) + " \r\n\t ").diagnostics.empty());
  CHECK(read_text(document(kOne) + std::string(1000, '\0')).diagnostics.empty());  // padding
  for (const std::string& text :
       {document(kOne) + document(kTwo), "[" + kOne + "]" + kTwo, document(kOne) + "x", document(kOne) + "}"}) {
    CAPTURE(text);
    const Reading reading = read_text(text);
    REQUIRE(reading.rank.has_value());
    CHECK(reading.rank->event_count() == 1);
    CHECK(reading.diagnostics.count(kTrailingText) == 1);
    CHECK(reading.diagnostics.sorted().size() == 1);
    CHECK(to_text(read_text(gzip(text))) == to_text(reading));
  }
}

TEST_CASE("raw control characters, zero bytes and bytes that are not UTF-8 do not stop the reader") {
  using namespace std::string_literals;
  const auto named = [](const std::string& name) {
    return R"({"ph": "X", "ts": 1, "dur": 1, "name": ")" + name + R"("}, )";
  };
  const std::string odd_places = R"({"ph": "X", "ts": 5, "dur": 1, "pid": ")" + "\x80"s + R"(", "cat": ")" +
                                 "\xe2\x82"s + R"(", "key)" + "\xf0\0"s + R"(": 1})";
  const std::string text =
      document(named("tab\t\n\x01 end") + named("nul\0end"s) + named("\xff\xc3") + named("\xff\xc3") + odd_places);
  const Reading reading = read_text(text);
  REQUIRE(reading.rank.has_value());
  REQUIRE(reading.rank->event_count() == 5);
  const auto name = [&](trace::EventIndex e) { return reading.strings.text(reading.rank->name[e]); };
  CHECK(name(0) == "tab\t\n\x01 end");
  CHECK(name(1) == "nul\0end"s);
  CHECK(name(2) == "\xff\xc3"s);
  CHECK(reading.rank->name[2] == reading.rank->name[3]);
  CHECK(reading.diagnostics.count(kInvalidUtf8) == 3);  // distinct texts: a name, a pid, a category
  CHECK(reading.diagnostics.sorted().size() == 1);
}

TEST_CASE("zero bytes between tokens are not white space") {
  using namespace std::string_literals;
  CHECK(names_in("["s + "\0"s + kOne + "]") == "expected an event");
  CHECK(names_in("\0"s) == "this is not JSON");
  CHECK(names_in("[" + kOne + "\0"s) == "expected , or ] after an event");
}

TEST_CASE("a huge top-level value is passed over, known ones are always understood") {
  const std::string huge(3 << 20, 'x');
  std::string groups;
  for (int i = 0; i < 60'000; ++i) groups += R"({"pg_name": "some group", "ranks": [0, 1, 2]},)";
  const std::string text = R"({"stacks": ")" + huge + R"(", "distributedInfo": {"rank": 5, "groups": [)" + groups +
                           R"(0]}, "traceEvents": [)" + kOne + R"(], "nodes": [")" + huge + R"("]})";
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    const Reading reading = read_text(bytes);
    REQUIRE(reading.rank.has_value());
    CHECK(reading.rank->event_count() == 1);
    CHECK(reading.rank->rank == 5);
    CHECK(reading.diagnostics.count(kLargeProperty) == 2);
  }
  // Also where the value alone tells what the file is.
  const Reading foreign = read_text(R"({"schema": "1.1.1", "nodes": [")" + huge + R"("]})");
  REQUIRE(foreign.error.has_value());
  CHECK(foreign.error->hint.find("execution trace") != std::string::npos);
}

TEST_CASE("a value of many blocks is looked at a few times, not again with every block") {
  const std::string text(40u << 20, 'x');
  const std::string packed = zstd(text);
  const auto inflater = make_inflater(Compression::zstd, packed, "packed");
  std::uint64_t looked_at = 0;
  const auto streamed = stream_windows(*inflater,
                                       [&](const Window& window) -> Result<const char*> {
                                         looked_at += static_cast<std::uint64_t>(window.end - window.begin);
                                         CHECK(window.end - window.begin <= static_cast<std::ptrdiff_t>(text.size()));
                                         return window.is_last ? window.end : window.begin;  // unfinished up to the end
                                       },
                                       {});
  REQUIRE(streamed.ok());
  CHECK(streamed->text_bytes == text.size());
  CHECK(looked_at >= text.size());
  CHECK(looked_at < 4 * text.size());
}

TEST_CASE("known top-level values: the last one counts, and nonsense is kept as it is") {
  const Reading twice = read_text(
      R"({"deviceProperties": [{"id": 1, "name": "a"}], "distributedInfo": {"rank": 1}, "traceEvents": [], "deviceProperties": [{"id": 2, "name": "b"}], "distributedInfo": {"rank": 2}})");
  REQUIRE(twice.rank.has_value());
  CHECK(twice.rank->source.devices.size() == 1);
  CHECK(twice.rank->source.devices[0].name == "b");
  CHECK(twice.rank->rank == 2);
  const Reading odd =
      read_text(R"({"deviceProperties": 7, "distributedInfo": [], "schemaVersion": "x", "traceEvents": []})");
  REQUIRE(odd.rank.has_value());
  CHECK(odd.rank->source.devices.empty());
  CHECK_FALSE(odd.rank->source.rank.has_value());
  CHECK(odd.rank->source.properties.size() == 3);
  const Reading negative = read_text(
      R"({"deviceProperties": [{"id": 0, "totalGlobalMem": -1}, 7, {"totalGlobalMem": 18446744073709551615}], "traceEvents": []})");
  REQUIRE(negative.rank->source.devices.size() == 3);
  CHECK(negative.rank->source.devices[0].memory_bytes == 0);
  CHECK(negative.rank->source.devices[2].memory_bytes == 18446744073709551615u);
}

TEST_CASE("a document in windows of every size reads as in one go") {
  const std::string text = mixed_document();
  const Reading whole = read_in_windows(text, [&] { return text.size(); });
  REQUIRE(whole.rank.has_value());
  CHECK(whole.rank->event_count() == 4);
  const std::string expected = to_text(whole, Detail::all);
  for (std::size_t bytes = 1; bytes <= 200; ++bytes) {
    CAPTURE(bytes);
    CHECK(first_difference(to_text(read_in_windows(text, [&] { return bytes; }), Detail::all), expected) == "");
  }
}

TEST_CASE("a document in windows of random sizes reads as in one go") {
  const std::string text = mixed_document();
  const std::string expected = to_text(read_in_windows(text, [&] { return text.size(); }), Detail::all);
  CHECK(rc::check([&] {
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 120)));
    std::size_t next = 0;
    const Reading reading = read_in_windows(text, [&] { return sizes[next++ % sizes.size()]; });
    RC_ASSERT(to_text(reading, Detail::all) == expected);
  }));
}

TEST_CASE("progress adds up to the bytes of the file") {
  const std::string text = document(kOne + "," + kTwo);
  for (const std::string& bytes : {text, gzip(text)}) {
    std::uint64_t total = 0;
    ReadOptions options;
    options.on_progress = [&](std::uint64_t more) { total += more; };
    REQUIRE(read_text(bytes, options).rank.has_value());
    CHECK(total == bytes.size());
  }
}

}  // namespace orrery::kineto::testing

// The fast reader against slower ones: the learned skeleton against the generic parser, and the whole reader against
// simdjson.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file_content.h"
#include "formats/kineto/event_parser.h"
#include "oracle.h"
#include "random_events.h"
#include "reading.h"

namespace orrery::kineto::testing {
namespace {

constexpr std::size_t kWholeFile = 1u << 30;

/// What a parser found in an event, in words.
std::string record_text(const ParsedEvent& parsed, const EventRecord& record, const char* begin) {
  if (parsed.outcome != ParseOutcome::parsed)
    return "outcome " + std::to_string(static_cast<int>(parsed.outcome)) + " at " +
           std::to_string(parsed.position - begin);
  const auto text = [](const RawText& raw) { return in_quotes(raw.view) + (raw.escaped ? "e" : "") + " "; };
  const auto key = [&](const RawKey& raw) {
    if (raw.kind == RawKey::integer) return std::to_string(raw.number) + " ";
    return raw.kind == RawKey::string ? text(raw.text)
                                      : std::string(raw.kind == RawKey::absent ? "absent " : "unusable ");
  };
  const auto decimal = [](bool present, const Decimal& d) {
    return present ? std::to_string(d.whole) + "." + std::to_string(d.fraction_e12) + (d.is_integer ? "i" : "") +
                         (d.is_exact ? "x" : "") + (d.in_range ? "r" : "") + " "
                   : "none ";
  };
  std::string out = "after " + std::to_string(parsed.position - begin) + " " + record.phase + " " + text(record.name) +
                    text(record.category) + text(record.label);
  out += key(record.process) + key(record.thread) + key(record.id) + decimal(record.has_time, record.time) +
         decimal(record.has_duration, record.duration);
  out += std::to_string(static_cast<int>(record.has_category)) + std::to_string(static_cast<int>(record.bad_time)) +
         std::to_string(static_cast<int>(record.bad_duration));
  for (std::size_t f = 0; f < trace::kFieldCount; ++f) {
    if ((record.present >> f & 1) == 0) continue;
    constexpr std::size_t kFirstText = trace::kIntegerFields;
    out += " " + std::string(trace::kFields[f].name) + "=" +
           (f >= kFirstText ? text(record.texts[f - kFirstText]) : std::to_string(record.numbers[f]));
  }
  return out;
}

/// The event alone in its memory, followed by `after` and by zeros.
std::string parse_event(EventParser& parser, const std::string& event, const std::string& after) {
  const std::size_t size = event.size() + after.size();
  const auto memory = std::make_unique<char[]>(size + 64);
  std::memcpy(memory.get(), event.data(), event.size());
  std::memcpy(memory.get() + event.size(), after.data(), after.size());
  EventRecord record;
  return record_text(parser.parse(memory.get(), memory.get() + size, record), record, memory.get());
}

std::string parse_alone(const std::string& event, const std::string& after) {
  EventParser fresh;
  return parse_event(fresh, event, after);
}

/// One small change to a text: a byte replaced, taken out or put in.
std::string random_damage(std::string text) {
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const char byte = *rc::gen::element('"', '\\', '{', '}', '[', ']', ',', ':', '.', '-', '+', 'e', 'E', '0', '9', 'a',
                                      'n', 't', ' ', '\0', '\n', 'N', 'I');
  switch (*rc::gen::inRange(0, 3)) {
    case 0: text[at] = byte; break;
    case 1: text.erase(at, 1); break;
    default: text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), byte);
  }
  if (text.empty() || text[0] != '{') text.insert(text.begin(), '{');
  return text;
}

std::vector<std::string> trace_files() {
  std::vector<std::string> files;
  const std::filesystem::path root = ORRERY_SOURCE_DIR;
  for (const std::filesystem::path& folder : {root / "data", root / "../shared/data/kineto/traces"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().string();
      const bool is_host_trace =
          entry.path().filename().string().starts_with("et_") || name.find(".et.json") != std::string::npos;
      if ((name.ends_with(".json") || name.ends_with(".json.gz")) && !is_host_trace) files.push_back(name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("a learned skeleton gives what the generic parser gives") {
  CHECK(rc::check([] {
    EventParser learned;
    for (const std::string& event : random_events()) {
      if (event[0] != '{') continue;
      RC_LOG() << event << "\n";
      RC_ASSERT(parse_event(learned, event, ",") == parse_alone(event, ","));
    }
  }));
}

TEST_CASE("a learned skeleton is as strict as the generic parser") {
  CHECK(rc::check([] {
    EventParser learned;
    for (const std::string& event : random_events()) {
      if (event[0] != '{') continue;
      parse_event(learned, event, ",");
      const std::string damaged = random_damage(event);
      RC_LOG() << damaged << "\n";
      RC_ASSERT(parse_event(learned, damaged, ",") == parse_alone(damaged, ","));
    }
  }));
}

TEST_CASE("a learned skeleton sees the end of the window where the generic parser does") {
  CHECK(rc::check([] {
    EventParser learned;
    for (const std::string& event : random_events()) {
      if (event[0] != '{') continue;
      parse_event(learned, event, ",");
      const auto size = *rc::gen::inRange<std::size_t>(1, event.size());
      const std::string cut = event.substr(0, size);
      RC_LOG() << cut << "\n";
      RC_ASSERT(parse_event(learned, cut, "") == parse_alone(cut, ""));
    }
  }));
}

TEST_CASE("spellings that must not slip through a learned skeleton") {
  const std::string good =
      R"({"ph": "X", "ts": 1, "dur": 2, "pid": 3, "a": 4, "b": null, "c": [5], "d": "6", "args": {"stream": 7, "x": 8}})";
  const char* const values[] = {"1", "2", "3", "4", "null", "[5]", "\"6\"", "{\"stream\": 7, \"x\": 8}", "7", "8"};
  const char* const keys[] = {"\"ts\": ", "\"dur\": ", "\"pid\": ",  "\"a\": ",      "\"b\": ",
                              "\"c\": ",  "\"d\": ",   "\"args\": ", "\"stream\": ", "\"x\": "};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    for (const char* other : {"",
                              ".5",
                              "+5",
                              "e",
                              "E5",
                              "-",
                              "--1",
                              "-Infinity",
                              "Infinity",
                              "NaN",
                              "-NaN",
                              "nul",
                              "nulll",
                              "true",
                              "truefalse",
                              "x",
                              "{}",
                              "[",
                              "\"",
                              "\"\"",
                              "5.",
                              "5e",
                              "05",
                              "1e5",
                              "-7.25",
                              "99999999999999999999",
                              "0.00000000000000000001",
                              "123456789",
                              "[5]",
                              "[5}",
                              "{5]",
                              "{\"stream\": 9}"}) {
      std::string changed = good;
      const std::size_t at = changed.find(keys[i]) + std::string_view(keys[i]).size();
      changed.replace(at, std::string_view(values[i]).size(), other);
      CAPTURE(changed);
      EventParser learned;
      parse_event(learned, good, ",");
      CHECK(parse_event(learned, changed, ",") == parse_alone(changed, ","));
      CHECK(parse_event(learned, changed, ",") == parse_alone(changed, ","));  // again: it may have been learned
      EventParser other_way;
      parse_event(other_way, changed, ",");
      CHECK(parse_event(other_way, good, ",") == parse_alone(good, ","));
      CHECK(parse_event(other_way, good, ",") == parse_alone(good, ","));
    }
  }
}

TEST_CASE("events without anything in common are still read, when the skeleton is full") {
  EventParser parser;
  std::string many;
  for (int i = 0; i < 9000; ++i) {
    const std::string event =
        R"({"key )" + std::to_string(i) + R"(": )" + std::to_string(i) + R"(, "ts": )" + std::to_string(i) + "}";
    REQUIRE(parse_event(parser, event, ",") == parse_alone(event, ","));
  }
}

TEST_CASE("random documents read as simdjson reads them") {
  CHECK(rc::check([] {
    const Style style = random_style();
    const std::string events = join_events(random_events(), style);
    const bool bare = *rc::gen::inRange(0, 2) == 0;
    const std::string text = bare ? "[" + events + "]" : document(events);
    RC_LOG() << text << "\n";
    Oracle oracle;
    RC_ASSERT(oracle.read(text) == "");
    const Reading reading = read_text(text);
    RC_ASSERT(reading.rank.has_value());
    RC_ASSERT(disagreement(reading, oracle) == "");
  }));
}

TEST_CASE("real traces read as simdjson reads them") {
  const std::vector<std::string> files = trace_files();
  REQUIRE(files.size() >= 7);
  for (const std::string& file : files) {
    CAPTURE(file);
    const auto text = orrery::read_whole_file(file, kWholeFile);
    REQUIRE(text.ok());
    Oracle oracle;
    if (const std::string refused = oracle.read(*text); !refused.empty()) {
      MESSAGE("not comparable: " << file << ": " << refused);
      continue;
    }
    const Reading reading = read_file(file);
    REQUIRE(reading.rank.has_value());
    CHECK(disagreement(reading, oracle) == "");
    CHECK(reading.rank->event_count() > 5);
    CHECK(reading.rank->source.text_bytes == text->size());
  }
}

}  // namespace orrery::kineto::testing

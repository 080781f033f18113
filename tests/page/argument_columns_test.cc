#include "page/data/argument_columns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "base/diagnostics.h"
#include "base/json/json_members.h"
#include "base/json/json_unescape.h"
#include "formats/kineto/reader.h"
#include "support/temp_dir.h"

using namespace orrery;
using testing::TempDir;

namespace {

using Arguments = std::map<std::string, std::string>;

const page::EncodedColumn* column(const page::Blob& blob, std::string_view name) {
  for (const page::EncodedColumn& each : blob.table) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::vector<std::int64_t> decode(const page::EncodedColumn& encoded) {
  std::vector<std::int64_t> values(encoded.count);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < encoded.count; ++i) {
    std::uint64_t code = 0;
    for (std::size_t plane = 0; plane < encoded.bytes.size() / encoded.count; ++plane)
      code |= std::uint64_t{static_cast<unsigned char>(encoded.bytes[plane * encoded.count + i])} << (8 * plane);
    if (encoded.codec == "planes") values[i] = static_cast<std::int64_t>(code);
    else values[i] = at += static_cast<std::int64_t>(code >> 1U) ^ -static_cast<std::int64_t>(code & 1U);
  }
  return values;
}

/// A list of a blob's JSON; nested lists stay text.
std::vector<std::string> list(const page::EncodedColumn& json) {
  const std::string padded = json.bytes + std::string(64, ' ');
  std::vector<std::string> entries;
  for (const std::string_view entry : list_entries(std::string_view(padded).substr(0, json.bytes.size())))
    entries.emplace_back(entry);
  return entries;
}
std::vector<std::string> list(const std::string& text) { return list(page::EncodedColumn{"", "json", 1, text}); }
std::string text_of(const std::string& json) {
  return is_json_string(json) ? unescape_json(string_content(json)) : json;
}

/// What another reader of the page would find, by the words of docs/REPORT.md alone.
std::vector<Arguments> arguments_in(const std::vector<page::Blob>& blobs, std::size_t rank,
                                    const std::vector<std::uint32_t>& names) {
  const page::Blob &common = blobs[0], &own = blobs[rank + 1];
  std::vector<std::string> keys;
  for (const std::string& key : list(*column(common, "ar.keys"))) keys.push_back(text_of(list(key)[0]));
  const std::vector<std::string> sets = list(*column(common, "ar.sets")), of_names = list(*column(common, "ar.names")),
                                 texts = list(*column(common, "ar.texts"));
  std::map<std::string, std::vector<std::int64_t>> columns;
  std::map<std::string, std::size_t> next;
  std::vector<Arguments> events;
  const std::vector<std::int64_t> set_of = decode(*column(own, "ar.set"));
  for (std::size_t i = 0; i < set_of.size(); ++i) {
    const std::vector<std::string> of_name = list(of_names[names[i]]);
    const std::vector<std::string> set = list(sets[std::stoul(of_name[static_cast<std::size_t>(set_of[i])])]);
    Arguments& event = events.emplace_back();
    for (std::size_t k = 0; k < set.size(); k += 2) {
      const std::string& key = keys[std::stoul(set[k])];
      if (set[k + 1] != "null") {
        event[key] = text_of(set[k + 1]);
        continue;
      }
      const page::EncodedColumn& values = *column(own, "ar." + set[k]);
      if (!columns.contains(key)) columns[key] = decode(values);
      const std::int64_t value = columns[key][next[key]++];
      event[key] = values.codec == "delta" ? std::to_string(value) : text_of(texts[static_cast<std::size_t>(value)]);
    }
  }
  for (const auto& [key, values] : columns) CHECK(next[key] == values.size());
  return events;
}

struct Written {
  std::string text;
  std::vector<Arguments> events;  ///< by position in the file
};

/// Kernels with a grid that repeats, identities that count on, bandwidths of all sorts; every fifth event says nothing.
Written write_events(std::size_t count) {
  Written made{
      R"({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "gpu", "sort_index": 5}})",
      {}};
  for (std::size_t i = 0; i < count; ++i) {
    Arguments args;
    std::string text;
    const auto add = [&](const std::string& key, const std::string& json) {
      text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key, json);
      args[key] = text_of(json);
    };
    if (i % 5 != 4) {
      add("correlation", std::to_string(1000 + 3 * i));
      add("grid", fmt::format("[{}, 1, 1]", 8 * (i % 3 + 1)));
      add("stream", "7");
      add("pointer", std::to_string(std::uint64_t{9'100'000'000'000'000'000} + i));
      if (i % 2 == 0) add("memory bandwidth (GB/s)", fmt::format("{}.{:03}", i % 97, i % 1000));
      if (i % 7 == 0) add("say \\\"it\\\"", "\"<b>\\u00e9\"");
    }
    if (const auto said = args.extract("say \\\"it\\\""); !said.empty()) args["say \"it\""] = said.mapped();
    made.text += fmt::format(
        ",\n{{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k{}\", \"pid\": 1, \"tid\": 7, \"ts\": {}, \"dur\": {}, "
        "\"args\": {{{}}}}}",
        i % 4, 10 * i, 1 + i % 9, text);
    made.events.push_back(std::move(args));
  }
  made.text += "]}\n";
  return made;
}

void check_round_trip(std::size_t count, std::uint64_t most_events) {
  const TempDir folder;
  const Written written = write_events(count);
  const std::string path = folder.write("trace.json", written.text);
  trace::Trace trace;
  Diagnostics diagnostics;
  auto rank = kineto::read_rank(path, trace.strings, diagnostics);
  REQUIRE(rank);
  trace.ranks.push_back(std::move(*rank));
  CHECK(trace.ranks[0].source.has_other_arguments);
  const page::EventTable events(trace, {.most_events = most_events});
  const page::NameTable names(trace, events);
  const auto blobs = page::argument_blobs(trace, events, names);
  REQUIRE(blobs);
  REQUIRE(blobs->size() == 2);
  std::vector<std::uint32_t> name_of;
  const page::RankEvents& in_page = events.ranks()[0];
  for (const trace::EventIndex e : in_page.order)
    name_of.push_back(names.number(trace.ranks[0].name[e], in_page.kind[e]));
  const std::vector<Arguments> found = arguments_in(*blobs, 0, name_of);
  REQUIRE(found.size() == std::min<std::size_t>(count, most_events));
  for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == written.events[in_page.order[i]]);
}

}  // namespace

TEST_CASE("arguments of events: all that was written, by sets and by columns") {
  SUBCASE("few: everything is in sets") { check_round_trip(12, 1000); }
  SUBCASE("many: what counts on is in columns") { check_round_trip(5000, 100'000); }
  SUBCASE("those of events that are left out do not count") { check_round_trip(3000, 1200); }
}

TEST_CASE("what counts on has a column, and what repeats has none") {
  const TempDir folder;
  const std::string path = folder.write("trace.json", write_events(5000).text);
  trace::Trace trace;
  Diagnostics diagnostics;
  trace.ranks.push_back(std::move(*kineto::read_rank(path, trace.strings, diagnostics)));
  const page::EventTable events(trace, {});
  const auto blobs = page::argument_blobs(trace, events, page::NameTable(trace, events));
  REQUIRE(blobs);
  std::map<std::string, std::string> where;
  for (const std::string& key : list(*column(blobs->front(), "ar.keys")))
    where[text_of(list(key)[0])] = text_of(list(key)[1]);
  CHECK(where["correlation"] == "number");
  CHECK(where["pointer"] == "text");  // no script could hold it
  CHECK(where["grid"] == "set");
  CHECK(where["stream"] == "set");
  CHECK(column(blobs->at(1), "ar.set")->bytes.size() == 5000);
}

TEST_CASE("a page of events that say nothing has no arguments") {
  const TempDir folder;
  const std::string path = folder.write(
      "trace.json",
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 1, "dur": 2, "args": {}}]})");
  trace::Trace trace;
  Diagnostics diagnostics;
  trace.ranks.push_back(std::move(*kineto::read_rank(path, trace.strings, diagnostics)));
  CHECK(!trace.ranks[0].source.has_other_arguments);
  const page::EventTable events(trace, {});
  const auto blobs = page::argument_blobs(trace, events, page::NameTable(trace, events));
  REQUIRE(blobs);
  CHECK(blobs->empty());
}

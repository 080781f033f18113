// A random trace written as JSON reads back to what was written, whatever the order of members, the white space and the
// spelling of numbers.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "reading.h"

namespace orrery::pytorch_et::testing {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

/// How one writer lays out its JSON, and how much it varies.
struct Style {
  std::vector<std::string> spaces;
  bool shuffles = false;
  bool quotes_numbers = false;
  bool is_flat = false;
  bool is_linked = false;
};

Style random_style(Random& random) {
  static const std::vector<std::vector<std::string>> kSpaces = {
      {""}, {" "}, {"\n        ", " ", ""}, {"\r\n\t", "", "  "}, {"\n                                        "}};
  return {kSpaces[below(random, kSpaces.size())], below(random, 2) == 0, below(random, 4) == 0, below(random, 4) == 0,
          below(random, 2) == 0};
}

std::string random_name(Random& random) {
  static const std::vector<std::string> kParts = {"aten::mm", " ",           "\"", "\\",    "\n", "\xC3\xA9",
                                                  "}",        "{\"id\": 3}", "]",  ",",     "\t", "a",
                                                  "#",        "/",           "b",  "[x|y]", ":",  "ProfilerStep#12"};
  std::string name;
  for (std::size_t parts = below(random, 4); parts > 0; --parts) name += kParts[below(random, kParts.size())];
  return name;
}

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (c == '\n') json += "\\n";
    else if (c == '\t') json += "\\u0009";
    else json += c;
  }
  return json + "\"";
}

class Writer {
 public:
  Writer(Random& random, Style style) : random_(random), style_(std::move(style)) {}

  std::string number(std::int64_t value) {
    const bool with_quotes = style_.quotes_numbers && below(random_, 2) == 0;
    return with_quotes ? "\"" + std::to_string(value) + "\"" : std::to_string(value);
  }
  std::string space() { return style_.spaces[below(random_, style_.spaces.size())]; }
  std::string member(const std::string& key, const std::string& json) {
    return "\"" + key + "\"" + space() + ":" + space() + json;
  }
  std::string enclosed(char open, std::vector<std::string> parts, char close) {
    if (style_.shuffles && open == '{') std::shuffle(parts.begin(), parts.end(), random_);
    std::string json = open + space();
    for (std::size_t i = 0; i < parts.size(); ++i) json += (i == 0 ? "" : "," + space()) + parts[i] + space();
    return json + close;
  }
  std::string attribute(const std::string& name, const std::string& json) {
    return enclosed('{', {member("name", quoted(name)), member("type", "\"any\""), member("value", json)}, '}');
  }

 private:
  Random& random_;
  Style style_;
};

struct Written {
  std::string text;
  std::vector<std::string> rows;    // as row_text gives them
  std::vector<std::string> inputs;  // as written; empty in flat traces
};

std::string random_io(Random& random, Writer& writer) {
  std::vector<std::string> values;
  for (std::size_t i = below(random, 3); i > 0; --i)
    values.push_back(below(random, 2) == 0 ? quoted(random_name(random)) : "[1,[2,3],\"cpu\"]");
  return writer.enclosed(
      '{', {writer.member("values", writer.enclosed('[', values, ']')), writer.member("types", "[]")}, '}');
}

/// Appends one row to `members` and what is to be read of it to the line it returns.
std::string random_row(Random& random, const Style& style, Writer& writer, std::uint64_t id,
                       std::vector<std::string>& members, std::string& inputs) {
  const std::uint64_t parent = below(random, 100);
  const std::string name = random_name(random);
  members = {writer.member("id", writer.number(static_cast<std::int64_t>(id))), writer.member("name", quoted(name)),
             writer.member(style.is_flat ? "parent" : "ctrl_deps", writer.number(static_cast<std::int64_t>(parent)))};
  std::string line = std::to_string(id) + "<" + std::to_string(parent) + " '" + name + "'";
  std::vector<std::string> attributes;
  const auto give = [&](const char* key, const std::string& json) {
    if (style.is_flat) members.push_back(writer.member(key, json));
    else attributes.push_back(writer.attribute(key, json));
  };
  for (const char* key : {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid"}) {
    const auto size = static_cast<std::int64_t>(random() >> (1 + below(random, 63)));
    const std::int64_t value = below(random, 8) == 0 ? -1 - size : size;
    const bool given = below(random, 16) != 0;
    if (given) give(key, writer.number(value));
    line += given ? " " + std::to_string(value) : " -";
  }
  const std::string schema = random_name(random);
  give("op_schema", quoted(schema));
  line += " '" + schema + "'";
  if (below(random, 4) == 0) give("kernel_backend", "[{\"a\": [1]}]");
  if (!style.is_flat) {
    inputs = random_io(random, writer);
    members.push_back(writer.member("inputs", inputs));
    if (style.shuffles) std::shuffle(attributes.begin(), attributes.end(), random);
    members.push_back(writer.member("attrs", writer.enclosed('[', attributes, ']')));
  }
  if (!style.is_linked) return line;
  const bool measured = below(random, 3) != 0;
  const std::int64_t ts = static_cast<std::int64_t>(below(random, 1u << 30));
  const std::size_t syncs = below(random, 3);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < syncs; ++i) ids.push_back(std::to_string(i + id));
  if (measured) members.push_back(writer.member("ts", std::to_string(ts) + ".5"));
  members.push_back(writer.member("stream", measured ? "7" : "null"));
  if (syncs > 0) members.push_back(writer.member("sync_dep", writer.enclosed('[', ids, ']')));
  line +=
      measured ? " " + std::to_string(ts) + ".500000 - - measured - 7 '' '' ''" : " - - - not-measured - - '' '' ''";
  for (const std::string& sync : ids) line += " +" + sync;
  return line;
}

Written random_trace(std::uint64_t seed) {
  Random random(seed);
  const Style style = random_style(random);
  Writer writer(random, style);
  Written written;
  std::vector<std::string> rows;
  const std::uint64_t stride = below(random, 4) == 0 ? 1'000'003 : 1;  // ids far apart are checked in another way
  for (std::size_t i = below(random, 12); i > 0; --i) {
    std::vector<std::string> members;
    std::string inputs;
    written.rows.push_back(random_row(random, style, writer, i * stride, members, inputs));
    written.inputs.push_back(inputs);
    rows.push_back(writer.enclosed('{', members, '}'));
  }
  const std::string schema = style.is_flat ? "\"1.0.1\"" : "\"1.1.1-chakra.0.0.4\"";
  written.text = writer.space() +
                 writer.enclosed('{',
                                 {writer.member("schema", schema), writer.member("pid", writer.number(12)),
                                  writer.member("nodes", writer.enclosed('[', rows, ']')),
                                  writer.member("other", "{\"nodes\": [{\"id\": 4}]}"), writer.member("start_ts", "5")},
                                 '}') +
                 writer.space();
  return written;
}

}  // namespace

TEST_CASE("a random trace reads back to what was written") {
  CHECK(rc::check("round trip", [] {
    const auto seed = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
    const Written written = random_trace(seed);
    const Reading reading = read_text(written.text);
    INFO(written.text);
    REQUIRE(reading.trace.has_value());
    const trace::HostTrace& trace = *reading.trace;
    CHECK(trace.pid == 12);
    CHECK(trace.start_ts == 5);
    CHECK(reading.diagnostics.empty());
    REQUIRE(trace.size() == written.rows.size());
    for (std::size_t row = 0; row < trace.size(); ++row) {
      CHECK(row_text(reading, row) == written.rows[row]);
      CHECK(trace.text(trace.inputs[row]) == written.inputs[row]);
    }
  }));
}

}  // namespace orrery::pytorch_et::testing

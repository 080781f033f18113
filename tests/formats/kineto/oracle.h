// A second opinion: the events of a valid document as simdjson sees them, in the words of rank_text.h. Slow and simple
// on purpose, and written from docs/formats/kineto.md: numbers are taken from their spelling, not from a double.
#pragma once

#include <simdjson.h>

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rank_text.h"

namespace orrery::kineto::testing {

/// "1.5e3" microseconds -> picoseconds, toward zero.
inline Int128 token_ps(std::string_view token) {
  while (!token.empty() && (token.back() <= ' ')) token.remove_suffix(1);
  const bool negative = token.front() == '-';
  if (negative) token.remove_prefix(1);
  long exponent = 6;
  if (const std::size_t e = token.find_first_of("eE"); e != std::string_view::npos) {
    exponent += std::stol(std::string(token.substr(e + 1)));
    token = token.substr(0, e);
  }
  std::string digits(token.substr(0, token.find('.')));
  auto point = static_cast<long>(digits.size());
  if (const std::size_t dot = token.find('.'); dot != std::string_view::npos) digits += token.substr(dot + 1);
  point += exponent;
  Int128 value = 0;
  for (long i = 0; i < point; ++i)
    value = value * 10 + (i < static_cast<long>(digits.size()) ? digits[static_cast<std::size_t>(i)] - '0' : 0);
  return negative ? -value : value;
}

class Oracle {
 public:
  std::vector<std::string> events = {};  ///< as event_text() writes them
  std::vector<std::string> flows = {};   ///< phase, time and lane of each flow point

  /// Empty, or why simdjson does not take the document.
  std::string read(std::string_view json) {
    simdjson::ondemand::parser parser;
    const simdjson::padded_string padded(json);
    try {
      simdjson::ondemand::document document = parser.iterate(padded);
      if (document.type() == simdjson::ondemand::json_type::array) {
        for (auto event : document.get_array()) take_entry(event.value());
      } else {
        for (auto member : document.get_object()) {
          if (std::string_view(member.unescaped_key()) != "traceEvents") continue;
          for (auto event : member.value().get_array()) take_entry(event.value());
        }
      }
    } catch (const simdjson::simdjson_error& error) {
      return error.what();
    }
    for (Row& row : rows_) events.push_back(text_of(row));
    return {};
  }

 private:
  using Value = simdjson::ondemand::value;
  using Type = simdjson::ondemand::json_type;

  struct Row {
    std::string phase = {}, name = {}, process = "0", thread = "0", id = {};
    std::optional<std::string> category = {};
    std::optional<Int128> time = {}, duration = {};
    std::map<std::string, std::string> fields = {};
    std::size_t entry = 0;
  };

  static std::optional<std::int64_t> integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || after != text.data() + text.size()) return std::nullopt;
    return value;
  }
  static std::string_view trimmed(std::string_view token) {
    while (!token.empty() && token.back() <= ' ') token.remove_suffix(1);
    return token;
  }
  static std::string key_of(Value value) {
    if (value.type() == Type::string) {
      const std::string_view text = value.get_string();
      return text.empty() ? "0" : in_quotes(text);
    }
    return std::string(trimmed(value.raw_json_token()));
  }

  static void take_argument(Row& row, std::string_view key, Value value) {
    static const std::map<std::string_view, std::string> kNumbers = {
        {"correlation", "correlation"},
        {"stream", "stream"},
        {"device", "device"},
        {"External id", "external_id"},
        {"external id", "external_id"},
        {"wait_on_stream", "wait_on_stream"},
        {"wait_on_cuda_event_record_corr_id", "wait_on_record"},
        {"bytes", "bytes"},
        {"Python id", "python_id"},
        {"Python parent id", "python_parent_id"},
        {"Sequence number", "sequence_number"},
        {"Fwd thread id", "forward_thread"},
        {"In msg nelems", "in_elements"},
        {"Out msg nelems", "out_elements"},
        {"Group size", "group_size"},
        {"Seq", "collective_sequence"},
        {"Rank", "group_rank"},
        {"Src Rank", "source_rank"},
        {"Dst Rank", "destination_rank"},
        {"graph node id", "graph_node"}};
    static const std::map<std::string_view, std::string> kTexts = {
        {"Collective name", "collective"},    {"dtype", "dtype"},
        {"Process Group Name", "group_name"}, {"Process Group Ranks", "group_ranks"},
        {"In split size", "send_counts"},     {"Out split size", "receive_counts"}};
    const Type type = value.type();
    if (const auto text = kTexts.find(key); text != kTexts.end() && type == Type::string) {
      row.fields[text->second] = in_quotes(std::string_view(value.get_string()));
    } else if (const auto number = kNumbers.find(key); number != kNumbers.end()) {
      std::optional<std::int64_t> parsed;
      if (type == Type::string) parsed = integer(std::string_view(value.get_string()));
      else if (type == Type::number) parsed = integer(trimmed(value.raw_json_token()));
      if (parsed) row.fields[number->second] = std::to_string(*parsed);
    }
  }

  static void take_member(Row& row, std::string_view key, Value value) {
    const Type type = value.type();
    if (key == "args" && type == Type::object) {
      for (auto argument : value.get_object()) {
        const std::string name(std::string_view(argument.unescaped_key()));
        take_argument(row, name, argument.value());
      }
    } else if (type == Type::string) {
      if (key == "ph") row.phase = std::string_view(value.get_string());
      else if (key == "name") row.name = std::string_view(value.get_string());
      else if (key == "cat") row.category = std::string_view(value.get_string());
      else if (key == "pid") row.process = key_of(value);
      else if (key == "tid") row.thread = key_of(value);
    } else if (type == Type::number) {
      if (key == "ts") row.time = token_ps(value.raw_json_token());
      else if (key == "dur") row.duration = token_ps(value.raw_json_token());
      else if (key == "pid") row.process = key_of(value);
      else if (key == "tid") row.thread = key_of(value);
    }
  }

  void take_entry(Value value) {
    const std::size_t entry = next_entry_++;
    if (value.type() != Type::object) return;
    Row row;
    row.entry = entry;
    for (auto member : value.get_object()) {
      const std::string key(std::string_view(member.unescaped_key()));
      take_member(row, key, member.value());
    }
    if (row.phase == "M" || !row.time) return;
    const std::string lane = row.process + "/" + row.thread;
    if (!row.duration && (row.phase == "s" || row.phase == "t" || row.phase == "f")) {
      flows.push_back(row.phase + " " + decimal_us(*row.time) + " " + lane);
    } else if (!row.duration && row.phase == "E") {
      auto& open = open_[lane];
      if (open.empty()) return;
      rows_[open.back()].duration = *row.time - *rows_[open.back()].time;
      open.pop_back();
    } else {
      if (!row.duration && row.phase == "B") open_[lane].push_back(rows_.size());
      rows_.push_back(std::move(row));
    }
  }

  static std::string text_of(const Row& row) {
    // In the order of trace::Field.
    static const char* const kOrder[] = {
        "correlation",    "stream",      "device",       "external_id",      "wait_on_stream",
        "wait_on_record", "bytes",       "python_id",    "python_parent_id", "sequence_number",
        "forward_thread", "in_elements", "out_elements", "group_size",       "collective_sequence",
        "graph_node",     "group_rank",  "source_rank",  "destination_rank", "collective",
        "dtype",          "group_name",  "group_ranks",  "send_counts",      "receive_counts"};
    std::string text = decimal_us(*row.time) + (row.duration ? " + " + decimal_us(*row.duration) : " -");
    text += " " + (row.phase.empty() ? "?" : row.phase.substr(0, 1)) + " " + row.category.value_or("-") + " " +
            in_quotes(row.name) + " " + row.process + "/" + row.thread;
    text += " entry " + std::to_string(row.entry);
    for (const char* field : kOrder) {
      if (const auto at = row.fields.find(field); at != row.fields.end()) text += " " + at->first + "=" + at->second;
    }
    return text;
  }

  std::size_t next_entry_ = 0;
  std::vector<Row> rows_ = {};
  std::map<std::string, std::vector<std::size_t>> open_ = {};
};

/// Empty when the reader and the oracle agree about events and flows, else the first difference.
inline std::string disagreement(const Reading& reading, const Oracle& oracle) {
  const trace::RankTrace& rank = *reading.rank;
  // The oracle knows nothing of baseTimeNanoseconds.
  const Int128 base = static_cast<Int128>(rank.source.base_time_ns.value_or(0)) * kPsPerNs;
  for (trace::EventIndex e = 0; e < std::min(rank.event_count(), oracle.events.size()); ++e) {
    std::string text = event_text(rank, reading.strings, e, false);
    if (base != 0) text.replace(0, text.find(' '), decimal_us(absolute_ps(rank, rank.start[e]) - base));
    if (text != oracle.events[e]) return "reader: " + text + "\noracle: " + oracle.events[e];
  }
  if (rank.event_count() != oracle.events.size())
    return "reader has " + std::to_string(rank.event_count()) + " events, oracle " +
           std::to_string(oracle.events.size());
  if (rank.flows.size() != oracle.flows.size())
    return "reader has " + std::to_string(rank.flows.size()) + " flows, oracle " + std::to_string(oracle.flows.size());
  for (std::size_t i = 0; i < oracle.flows.size(); ++i) {
    const trace::Lane& lane = rank.lanes[rank.flows.lane[i]];
    const std::string text = std::string(1, rank.flows.phase[i]) + " " +
                             decimal_us(absolute_ps(rank, rank.flows.time[i]) - base) + " " +
                             key_text(reading.strings, lane.process) + "/" + key_text(reading.strings, lane.thread);
    if (text != oracle.flows[i]) return "reader: flow " + text + "\noracle: flow " + oracle.flows[i];
  }
  return {};
}

}  // namespace orrery::kineto::testing

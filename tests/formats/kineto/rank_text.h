// A rank as text: everything the reader made of a file, a line per fact, so that two readings can be compared and a
// case can be written down.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/int128.h"
#include "base/interner.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::kineto::testing {

/// What reading a file gave.
struct Reading {
  Interner strings = {};
  Diagnostics diagnostics = {};
  std::optional<trace::RankTrace> rank = {};
  std::optional<Error> error = {};
  std::string path = {};
};

/// -1500000 ps -> "-1.5": microseconds as a trace writes them, exactly.
inline std::string decimal_us(Int128 ps) {
  const bool negative = ps < 0;
  Int128 magnitude = negative ? -ps : ps;
  std::string digits;
  for (; magnitude != 0; magnitude /= 10) digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
  if (digits.size() < 7) digits.resize(7, '0');
  std::string fraction = digits.substr(0, 6);
  fraction.erase(0, std::min(fraction.find_first_not_of('0'), fraction.size()));
  std::string text = digits.substr(6);
  std::reverse(text.begin(), text.end());
  std::reverse(fraction.begin(), fraction.end());
  return (negative ? "-" : "") + text + (fraction.empty() ? "" : "." + fraction);
}

/// The same instant whatever epoch the rank was read with.
inline Int128 absolute_ps(const trace::RankTrace& rank, TimePs time) {
  return static_cast<Int128>(rank.epoch_unix_ns) * kPsPerNs + time;
}

inline std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }
inline std::string key_text(const Interner& strings, trace::LaneKey key) {
  return key.text == 0 ? std::to_string(key.number) : in_quotes(strings.text(key.text));
}

/// 12.5 + 3 X kernel "gemm" 0/7 entry 4 stream=7: start, duration ("-" without one), phase, category ("-" without one),
/// name, lane. `with_lists`: also what comes from lists among the arguments of communication
/// (communication_arguments.h).
inline std::string event_text(const trace::RankTrace& rank, const Interner& strings, trace::EventIndex e,
                              bool with_lists = true) {
  const auto comes_from_list = [&](trace::Field field) {
    using trace::Field;
    const std::string_view name = strings.text(rank.name[e]);
    return (name.starts_with("c10d::") || name.starts_with("gloo:")) &&
           (field == Field::in_elements || field == Field::group_rank || field == Field::tag ||
            field == Field::dtype_text || field == Field::collective_text);
  };
  const trace::Lane& lane = rank.lanes[rank.lane[e]];
  const bool has_category = (rank.flags[e] & trace::kHasCategory) != 0;
  std::string text = decimal_us(absolute_ps(rank, rank.start[e]));
  text += rank.has_duration(e) ? " + " + decimal_us(rank.duration[e]) : " -";
  text += std::string(" ") + (rank.phase[e] == '\0' ? "?" : std::string(1, rank.phase[e]));
  text += " " + (has_category ? std::string(strings.text(rank.categories[rank.category[e]].text)) : "-");
  text += " " + in_quotes(strings.text(rank.name[e])) + " " + key_text(strings, lane.process) + "/" +
          key_text(strings, lane.thread);
  text += " entry " + std::to_string(rank.ordinal[e]);
  for (std::size_t f = 0; f < trace::kFieldCount; ++f) {
    const auto field = static_cast<trace::Field>(f);
    const auto value = rank.field(field).find(e);
    if (!value || (!with_lists && comes_from_list(field))) continue;
    text +=
        " " + std::string(trace::info(field).name) + "=" +
        (trace::holds_text(field) ? in_quotes(strings.text(static_cast<StringId>(*value))) : std::to_string(*value));
  }
  return text;
}

inline std::string flow_text(const trace::RankTrace& rank, const Interner& strings, std::size_t i) {
  const trace::Flows& flows = rank.flows;
  const trace::Lane& lane = rank.lanes[flows.lane[i]];
  return std::string(1, flows.phase[i]) + " " + decimal_us(absolute_ps(rank, flows.time[i])) + " id " +
         std::to_string(flows.id[i]) + " " + std::string(strings.text(rank.categories[flows.category[i]].text)) + " " +
         key_text(strings, lane.process) + "/" + key_text(strings, lane.thread);
}

enum class Detail {
  readable,  ///< what a case file shows
  all,       ///< also what only a comparison needs: numbering, positions, every text
};

inline void append_source(std::string& out, const trace::RankTrace& rank) {
  const trace::SourceInfo& source = rank.source;
  const auto add = [&](const char* what, const auto& value) {
    if (value) out += std::string(what) + " " + std::to_string(*value) + "\n";
  };
  add("rank", source.rank);
  add("world size", source.world_size);
  if (!source.backend.empty()) out += "backend " + source.backend + "\n";
  add("schema version", source.schema_version);
  add("base time ns", source.base_time_ns);
  for (const trace::Device& device : source.devices) {
    out += "device " + std::to_string(device.id) + " " + in_quotes(device.name) + " " +
           std::to_string(device.memory_bytes) + " bytes " + std::to_string(device.multiprocessors) +
           " multiprocessors\n";
  }
  for (const auto& [key, json] : source.properties) out += "property " + in_quotes(key) + " = " + json + "\n";
}

inline void append_numbering(std::string& out, const Reading& reading) {
  const trace::RankTrace& rank = *reading.rank;
  out += "epoch " + std::to_string(rank.epoch_unix_ns) + " entries " + std::to_string(rank.source.entries) +
         " untimed " + std::to_string(rank.source.events_without_timestamp) + " fractional " +
         std::to_string(static_cast<int>(rank.source.fractional_timestamps)) + " rank " + std::to_string(rank.rank) +
         "\n";
  for (std::size_t e = 0; e < rank.event_count(); ++e) {
    for (const std::uint64_t number :
         {std::uint64_t{rank.name[e]}, std::uint64_t{rank.lane[e]}, std::uint64_t{rank.category[e]},
          std::uint64_t{rank.flags[e]}, rank.source_offset[e]}) {
      out += std::to_string(number) + " ";
    }
    out += "\n";
  }
  for (std::size_t i = 0; i < rank.flows.size(); ++i)
    out += "flow lane " + std::to_string(rank.flows.lane[i]) + " category " + std::to_string(rank.flows.category[i]) +
           "\n";
  for (const trace::Category& category : rank.categories) out += "category " + std::to_string(category.text) + "\n";
  for (StringId id = 0; id < reading.strings.size(); ++id)
    out += "text " + std::to_string(id) + " " + in_quotes(reading.strings.text(id)) + "\n";
}

inline std::string to_text(const Reading& reading, Detail detail = Detail::readable) {
  std::string out;
  const auto without_path = [&](std::string text) {
    if (const std::string prefix = reading.path + ": "; text.starts_with(prefix)) text.erase(0, prefix.size());
    return text;
  };
  if (reading.rank) {
    const trace::RankTrace& rank = *reading.rank;
    append_source(out, rank);
    for (const trace::Lane& lane : rank.lanes) {
      out += "lane " + key_text(reading.strings, lane.process) + "/" + key_text(reading.strings, lane.thread);
      if (lane.process_name != 0) out += " process " + in_quotes(reading.strings.text(lane.process_name));
      if (lane.thread_name != 0) out += " thread " + in_quotes(reading.strings.text(lane.thread_name));
      out += "\n";
    }
    for (const trace::Category& category : rank.categories)
      out += "category " + in_quotes(reading.strings.text(category.text)) + " = " +
             trace::to_string(category.activity) + "\n";
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) out += event_text(rank, reading.strings, e) + "\n";
    for (std::size_t i = 0; i < rank.flows.size(); ++i) out += "flow " + flow_text(rank, reading.strings, i) + "\n";
    if (detail == Detail::all) append_numbering(out, reading);
  }
  for (const Diagnostic& diagnostic : reading.diagnostics.sorted()) {
    out += std::string(diagnostic.kind->code) + " x" + std::to_string(diagnostic.count) + " (" +
           without_path(diagnostic.example) + ")\n";
  }
  if (reading.error) out += "error: " + without_path(reading.error->to_string()) + "\n";
  return out;
}

/// What is wrong with a rank as a data structure, whatever the file was: empty when every number points somewhere.
inline std::string find_fault(const trace::RankTrace& rank, const Interner& strings) {
  const std::size_t events = rank.event_count();
  for (const std::size_t size :
       {rank.duration.size(), rank.name.size(), rank.lane.size(), rank.category.size(), rank.phase.size(),
        rank.flags.size(), rank.ordinal.size(), rank.source_offset.size()}) {
    if (size != events) return "columns differ in length";
  }
  constexpr TimePs kLimit = TimePs{1} << 61;  // so that sums and differences of a few moments fit TimePs
  const auto in_range = [](TimePs time) { return time > -kLimit && time < kLimit; };
  for (trace::EventIndex e = 0; e < events; ++e) {
    if (!in_range(rank.start[e]) || !in_range(rank.duration[e]) || !in_range(rank.start[e] + rank.duration[e]))
      return "a time is out of range";
    if (rank.name[e] >= strings.size()) return "a name is no text";
    if (rank.lane[e] >= rank.lanes.size()) return "an event's lane does not exist";
    if (rank.category[e] >= rank.categories.size()) return "an event's category does not exist";
    if (rank.ordinal[e] >= rank.source.entries || (e > 0 && rank.ordinal[e] <= rank.ordinal[e - 1]))
      return "ordinals do not increase";
    if (e > 0 && rank.source_offset[e] <= rank.source_offset[e - 1]) return "positions do not increase";
  }
  for (std::size_t f = 0; f < trace::kFieldCount; ++f) {
    const trace::SparseColumn& column = rank.field(static_cast<trace::Field>(f));
    if (column.event.size() != column.value.size()) return "a field's columns differ in length";
    for (std::size_t i = 0; i < column.event.size(); ++i) {
      if (column.event[i] >= events || (i > 0 && column.event[i] <= column.event[i - 1]))
        return "a field's events do not increase";
      if (trace::holds_text(static_cast<trace::Field>(f)) &&
          (column.value[i] < 0 || static_cast<std::size_t>(column.value[i]) >= strings.size()))
        return "a field's value is no text";
    }
  }
  const trace::Flows& flows = rank.flows;
  for (const std::size_t size : {flows.time.size(), flows.lane.size(), flows.category.size(), flows.phase.size()}) {
    if (size != flows.size()) return "columns of flows differ in length";
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!in_range(flows.time[i]) || flows.lane[i] >= rank.lanes.size() || flows.category[i] >= rank.categories.size())
      return "a flow points nowhere";
  }
  for (const trace::Lane& lane : rank.lanes) {
    for (const StringId text : {lane.process.text, lane.thread.text, lane.process_name, lane.thread_name}) {
      if (text >= strings.size()) return "a lane's name is no text";
    }
  }
  for (const trace::Category& category : rank.categories) {
    if (category.text >= strings.size()) return "a category is no text";
  }
  return {};
}

}  // namespace orrery::kineto::testing

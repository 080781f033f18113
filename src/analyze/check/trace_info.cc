#include "analyze/check/trace_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json/json_writer.h"
#include "causal/step_window.h"

// One pass over the events counts categories, annotations and lanes, and finds the span of host and device work. What
// it finds can be packed, since ranks may be described by other processes.

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

// So many names fit into a line that people read.
constexpr std::size_t kShownNames = 8;

std::string format_in_words(const trace::SourceInfo& source) {
  std::string words = source.format;
  if (source.schema_version) words += fmt::format(" (schema {})", *source.schema_version);
  words += ", " + format_bytes(source.file_bytes);
  if (source.text_bytes != source.file_bytes) words += fmt::format(", {} inflated", format_bytes(source.text_bytes));
  return words;
}

std::string steps_in_words(const RankInfo& info) {
  if (info.steps.empty()) return "none recorded";
  const auto shorter = [](const StepInfo& a, const StepInfo& b) { return a.duration < b.duration; };
  const auto [least, most] = std::minmax_element(info.steps.begin(), info.steps.end(), shorter);
  const std::string &first = info.steps.front().name, &last = info.steps.back().name;
  // Some profilers give every step the same name.
  return fmt::format("{} ({}{}{}), {} to {}", info.steps.size(), first, first == last ? "" : " to ",
                     first == last ? "" : last, format_duration(least->duration), format_duration(most->duration));
}

std::string devices_in_words(const trace::SourceInfo& source) {
  if (source.devices.empty()) return {};
  // A host lists all its devices, mostly of one model: eight times the same words would say less than once.
  std::set<std::string> known;
  std::string names;
  for (const trace::Device& device : source.devices) {
    const std::string name =
        fmt::format("{} ({})", device.name.empty() ? "unnamed" : device.name, format_bytes(device.memory_bytes));
    if (known.insert(name).second) names += (names.empty() ? "" : ", ") + name;
  }
  return fmt::format("{}: {}", source.devices.size(), names);
}

std::string names_in_words(const std::vector<AnnotationCount>& names) {
  std::string words;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) {
    words += fmt::format("{}{} ({}, {})", i == 0 ? "" : "; ", names[i].name, format_count(names[i].count),
                         format_duration(names[i].time));
  }
  if (names.size() > kShownNames) words += fmt::format("; and {} more", names.size() - kShownNames);
  return words;
}

/// "host and device, shapes, host execution trace"
std::string recorded_in_words(const DescribedRank& described) {
  std::string words;
  bool after_host = false;
  for (const std::string_view word : recorded_with(described)) {
    const std::string_view shown = word == "host_trace" ? "host execution trace" : word == "mpi" ? "MPI calls" : word;
    if (!words.empty()) words += after_host && word == "device" ? " and " : ", ";
    words += shown;
    after_host = word == "host";
  }
  return words;
}

template <typename T>
Cell cell_of(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell(nullptr);
}

Sheet ranks_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer});
  for (const char* name : {"path", "format"}) sheet.add({.name = name});
  for (const char* name : {"world_size", "schema_version"}) sheet.add({.name = name, .type = Type::integer});
  sheet.add({.name = "base_time", .type = Type::integer, .unit = Unit::ns});
  for (const char* name : {"file", "text", "memory"})
    sheet.add({.name = name, .type = Type::integer, .unit = Unit::bytes});
  for (const char* name : {"entries", "events", "flow_points", "host_threads", "device_streams"})
    sheet.add({.name = name, .type = Type::integer});
  const auto in_words = [&](const char* name, const char* title) {
    sheet.add({.name = name, .title = title, .people_only = true});
  };
  in_words("format_in_words", "format");
  in_words("events_in_words", "events");
  sheet.add({.name = "span", .type = Type::time, .unit = Unit::us, .title = "span"});
  in_words("recorded_in_words", "recorded with");
  in_words("steps_in_words", "steps");
  in_words("devices_in_words", "devices");
  sheet.add({.name = "backend", .title = "backend"});
  in_words("annotations_in_words", "annotations");
  in_words("collectives_in_words", "collectives");
  for (const DescribedRank& one : described) {
    const auto& [rank, info] = one;
    const trace::SourceInfo& source = rank->source;
    const std::string events =
        fmt::format("{} in {} entries; {} flow points; {} host threads, {} device streams", format_count(info.events),
                    format_count(source.entries), format_count(info.flow_points), info.host_lanes, info.device_streams);
    sheet.add_row({rank->rank,
                   source.path,
                   source.format,
                   cell_of(source.world_size),
                   cell_of(source.schema_version),
                   cell_of(source.base_time_ns),
                   source.file_bytes,
                   source.text_bytes,
                   info.memory_bytes,
                   source.entries,
                   info.events,
                   info.flow_points,
                   info.host_lanes,
                   info.device_streams,
                   format_in_words(source),
                   events,
                   info.span,
                   recorded_in_words(one),
                   steps_in_words(info),
                   devices_in_words(source),
                   source.backend,
                   names_in_words(info.annotations),
                   names_in_words(info.collectives)});
  }
  return sheet;
}

Sheet devices_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("devices");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "id", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "memory", .type = Type::integer, .unit = Unit::bytes})
      .add({.name = "multiprocessors", .type = Type::integer});
  for (const auto& [rank, info] : described) {
    for (const trace::Device& device : rank->source.devices)
      sheet.add_row({rank->rank, device.id, device.name, device.memory_bytes, device.multiprocessors});
  }
  return sheet;
}

Sheet categories_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("categories");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "label", .title = "category", .people_only = true})
      .add({.name = "meaning", .title = "meaning"})
      .add({.name = "events", .type = Type::integer, .title = "events"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"});
  for (const auto& [rank, info] : described) {
    for (const CategoryCount& category : info.categories) {
      const std::string_view name = category.name;
      sheet.add_row({rank->rank, name, name.empty() ? std::string_view("(none)") : name, to_string(category.activity),
                     category.events, category.time});
    }
  }
  return sheet;
}

Sheet steps_of_info(std::span<const DescribedRank> described) {
  Sheet sheet("steps");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "start", .type = Type::time, .unit = Unit::us})
      .add({.name = "duration", .type = Type::time, .unit = Unit::us});
  for (const auto& [rank, info] : described) {
    for (const StepInfo& step : info.steps) sheet.add_row({rank->rank, step.name, step.start, step.duration});
  }
  return sheet;
}

Sheet counts_of_info(std::string name, std::span<const DescribedRank> described,
                     const std::vector<AnnotationCount> RankInfo::*counts) {
  Sheet sheet(std::move(name));
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "count", .type = Type::integer})
      .add({.name = "time", .type = Type::time, .unit = Unit::us});
  for (const auto& [rank, info] : described) {
    for (const AnnotationCount& count : info.*counts) sheet.add_row({rank->rank, count.name, count.count, count.time});
  }
  return sheet;
}

}  // namespace

std::vector<std::string_view> recorded_with(const DescribedRank& described) {
  const trace::SourceInfo& source = described.rank->source;
  // Programs and what simulators make of them have the same categories, but no recorder.
  constexpr std::string_view kRecorders[] = {"kineto", "xspace", "mpitrace", "liballprof", "ampip"};
  if (std::find(std::begin(kRecorders), std::end(kRecorders), source.format) == std::end(kRecorders)) return {};
  const auto any = [&](auto... wanted) {
    return std::any_of(described.info.categories.begin(), described.info.categories.end(),
                       [&](const CategoryCount& category) { return (... || (category.activity == wanted)); });
  };
  // {"record_shapes", "1"}
  const auto says = [&](std::string_view key) {
    return std::any_of(source.properties.begin(), source.properties.end(), [&](const auto& property) {
      return property.first == key && property.second != "0" && property.second != "false";
    });
  };
  using trace::Activity;
  std::vector<std::string_view> words;
  if (any(Activity::cpu_operator, Activity::python, Activity::annotation)) words.emplace_back("host");
  // Calls of the runtime come from the tracer of the device, also where no operator was recorded.
  if (any(Activity::runtime_call, Activity::kernel, Activity::memory_copy, Activity::memory_set))
    words.emplace_back("device");
  if (any(Activity::mpi_call)) words.emplace_back("mpi");
  if (says("record_shapes")) words.emplace_back("shapes");
  if (says("with_stack") || any(Activity::python)) words.emplace_back("stacks");
  if (says("with_modules")) words.emplace_back("modules");
  if (says("profile_memory")) words.emplace_back("memory");
  if (says("with_flops")) words.emplace_back("flops");
  if (says("execution_trace")) words.emplace_back("host_trace");
  return words;
}

std::vector<Sheet> info_sheets(std::span<const DescribedRank> described) {
  std::vector<Sheet> sheets;
  sheets.push_back(ranks_of_info(described));
  sheets.push_back(devices_of_info(described));
  sheets.push_back(categories_of_info(described));
  sheets.push_back(steps_of_info(described));
  sheets.push_back(counts_of_info("annotations", described, &RankInfo::annotations));
  sheets.push_back(counts_of_info("collectives", described, &RankInfo::collectives));
  return sheets;
}

namespace {

using trace::Activity;
using trace::EventIndex;

struct Count {
  std::uint64_t count = 0;
  TimePs time = 0;
};
using Counts = std::map<StringId, Count>;

std::vector<AnnotationCount> by_time(const trace::Trace& trace, const Counts& counts) {
  std::vector<AnnotationCount> sorted;
  sorted.reserve(counts.size());
  for (const auto& [name, count] : counts)
    sorted.push_back({std::string(trace.strings.text(name)), count.count, count.time});
  // Names decide between equal times, because numbers of texts depend on the order of reading.
  std::sort(sorted.begin(), sorted.end(), [](const AnnotationCount& a, const AnnotationCount& b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  return sorted;
}

void count(Counts& counts, StringId name, TimePs time) {
  Count& entry = counts[name];
  ++entry.count;
  entry.time += time;
}

void pack_counts(const std::vector<AnnotationCount>& counts, PackedWriter& writer) {
  writer.number(counts.size());
  for (const AnnotationCount& count : counts) writer.text(count.name).number(count.count).integer(count.time);
}

void unpack_counts(PackedReader& reader, std::vector<AnnotationCount>& counts) {
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    AnnotationCount& count = counts.emplace_back();
    count.name = reader.text();
    count.count = reader.number();
    count.time = reader.integer();
  }
}

}  // namespace

RankInfo describe(const trace::Trace& trace, const trace::RankTrace& rank) {
  RankInfo info;
  info.events = rank.event_count();
  info.flow_points = rank.flows.size();
  info.memory_bytes = rank.memory_bytes();
  for (const trace::Category& category : rank.categories)
    info.categories.push_back({std::string(trace.strings.text(category.text)), category.activity, 0, 0});
  Counts annotations, collectives;
  std::vector<std::uint8_t> is_host(rank.lanes.size(), 0), is_device(rank.lanes.size(), 0);
  const std::vector<EventIndex> steps = causal::find_steps(trace, rank, trace::ContentOrder(trace, rank));
  std::vector<std::uint8_t> is_step(rank.event_count(), 0);
  // By event, since steps may be named like other annotations.
  for (const EventIndex e : steps) is_step[e] = 1;
  bool any = false;
  TimePs end = 0;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    // A duration below zero would take time away from the others.
    const TimePs duration = std::max<TimePs>(rank.duration[e], 0);
    CategoryCount& category = info.categories[rank.category[e]];
    ++category.events;
    category.time += duration;
    const Activity activity = rank.activity(e);
    if (is_host_work(activity)) is_host[rank.lane[e]] = 1;
    if (is_device_work(activity)) is_device[rank.lane[e]] = 1;
    // What is neither host nor device work (counters, profiler spans) would stretch the span over nothing.
    if (!is_host_work(activity) && !is_device_work(activity)) continue;
    info.begin = any ? std::min(info.begin, rank.start[e]) : rank.start[e];
    end = any ? std::max(end, rank.start[e] + duration) : rank.start[e] + duration;
    any = true;
    // Steps are listed by themselves.
    if (activity == Activity::annotation && is_step[e] == 0) count(annotations, rank.name[e], duration);
  }
  info.span = any ? end - info.begin : 0;
  const trace::SparseColumn& names = rank.field(trace::Field::collective_text);
  for (std::size_t i = 0; i < names.event.size(); ++i)
    count(collectives, static_cast<StringId>(names.value[i]), std::max<TimePs>(rank.duration[names.event[i]], 0));
  // Relative to the first work, as people read them.
  for (const EventIndex e : steps)
    info.steps.push_back({std::string(trace.name(rank, e)), rank.start[e] - info.begin, rank.duration[e]});
  // Categories whose events were all left out when reading.
  std::erase_if(info.categories, [](const CategoryCount& c) { return c.events == 0; });
  std::stable_sort(info.categories.begin(), info.categories.end(), [](const CategoryCount& a, const CategoryCount& b) {
    return a.events != b.events ? a.events > b.events : a.name < b.name;
  });
  info.annotations = by_time(trace, annotations);
  info.collectives = by_time(trace, collectives);
  info.host_lanes = static_cast<std::size_t>(std::count(is_host.begin(), is_host.end(), 1));
  info.device_streams = static_cast<std::size_t>(std::count(is_device.begin(), is_device.end(), 1));
  return info;
}

void pack(const RankInfo& info, PackedWriter& writer) {
  writer.integer(info.span).number(info.events).number(info.flow_points).number(info.memory_bytes);
  writer.number(info.host_lanes).number(info.device_streams).number(info.categories.size());
  for (const CategoryCount& category : info.categories) {
    writer.text(category.name)
        .number(static_cast<std::uint64_t>(category.activity))
        .number(category.events)
        .integer(category.time);
  }
  writer.number(info.steps.size());
  for (const StepInfo& step : info.steps) writer.text(step.name).integer(step.start).integer(step.duration);
  pack_counts(info.annotations, writer);
  pack_counts(info.collectives, writer);
}

RankInfo unpack_info(PackedReader& reader) {
  RankInfo info;
  info.span = reader.integer();
  info.events = reader.number();
  info.flow_points = reader.number();
  info.memory_bytes = reader.number();
  info.host_lanes = reader.number();
  info.device_streams = reader.number();
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    CategoryCount& category = info.categories.emplace_back();
    category.name = reader.text();
    category.activity = static_cast<Activity>(reader.number());
    category.events = reader.number();
    category.time = reader.integer();
  }
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    StepInfo& step = info.steps.emplace_back();
    step.name = reader.text();
    step.start = reader.integer();
    step.duration = reader.integer();
  }
  unpack_counts(reader, info.annotations);
  unpack_counts(reader, info.collectives);
  return info;
}

std::string event_json(const trace::Trace& trace, const trace::RankTrace& rank, trace::EventIndex event) {
  std::string text;
  JsonWriter json(text);
  const trace::Lane& lane = rank.lanes[rank.lane[event]];
  json.begin_object()
      .field("name", trace.name(rank, event))
      .field("cat", trace.strings.text(rank.categories[rank.category[event]].text));
  json.field("ts", to_us(rank.start[event]));
  if (rank.has_duration(event)) json.field("dur", to_us(rank.duration[event]));
  json.key("pid").raw(to_json(trace.strings, lane.process)).key("tid").raw(to_json(trace.strings, lane.thread));
  json.key("args").begin_object();
  using trace::SparseColumn;
  using trace::ValueType;
  trace::ArgumentTable::for_each(
      rank.arguments, [&](std::string_view name, std::string_view, ValueType type, const SparseColumn& column) {
        const std::optional<std::int64_t> value = column.find(event);
        if (!value) return;
        // Texts are kept by their number in the table.
        if (type == ValueType::text) json.field(name, trace.strings.text(static_cast<StringId>(*value)));
        else json.field(name, *value);
      });
  json.end_object().end_object();
  return text;
}

}  // namespace orrery::analyze

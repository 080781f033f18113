#include "analyze/check/trace_info.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/json/json_writer.h"
#include "causal/step_window.h"

namespace orrery::analyze {
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
  for (const EventIndex e : steps) is_step[e] = 1;
  bool any = false;
  TimePs end = 0;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    const TimePs duration = std::max<TimePs>(rank.duration[e], 0);
    CategoryCount& category = info.categories[rank.category[e]];
    ++category.events;
    category.time += duration;
    const Activity activity = rank.activity(e);
    if (is_host_work(activity)) is_host[rank.lane[e]] = 1;
    if (is_device_work(activity)) is_device[rank.lane[e]] = 1;
    if (!is_host_work(activity) && !is_device_work(activity)) continue;
    info.begin = any ? std::min(info.begin, rank.start[e]) : rank.start[e];
    end = any ? std::max(end, rank.start[e] + duration) : rank.start[e] + duration;
    any = true;
    if (activity == Activity::annotation && is_step[e] == 0) count(annotations, rank.name[e], duration);
  }
  info.span = any ? end - info.begin : 0;
  const trace::SparseColumn& names = rank.field(trace::Field::collective_text);
  for (std::size_t i = 0; i < names.event.size(); ++i)
    count(collectives, static_cast<StringId>(names.value[i]), std::max<TimePs>(rank.duration[names.event[i]], 0));
  for (const EventIndex e : steps)
    info.steps.push_back({std::string(trace.name(rank, e)), rank.start[e] - info.begin, rank.duration[e]});
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

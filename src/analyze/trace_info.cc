#include "analyze/trace_info.h"

#include <optional>

#include <algorithm>
#include <map>

#include "link/step_window.h"

#include "base/json_writer.h"

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

std::vector<AnnotationCount> by_time(const std::map<StringId, AnnotationCount>& counts) {
  std::vector<AnnotationCount> sorted;
  sorted.reserve(counts.size());
  for (const auto& [name, count] : counts) sorted.push_back(count);
  std::stable_sort(sorted.begin(), sorted.end(), [](const AnnotationCount& a, const AnnotationCount& b) { return a.time > b.time; });
  return sorted;
}

void count(std::map<StringId, AnnotationCount>& counts, StringId name, TimePs time) {
  AnnotationCount& entry = counts[name];
  entry.name = name;
  ++entry.count;
  entry.time += time;
}

}  // namespace

RankInfo describe(const trace::Trace& trace, const trace::RankTrace& rank) {
  RankInfo info;
  info.rank = &rank;
  info.categories.resize(rank.categories.size());
  for (std::size_t c = 0; c < rank.categories.size(); ++c)
    info.categories[c] = {rank.categories[c].text, rank.categories[c].activity, 0, 0};
  std::map<StringId, AnnotationCount> annotations, collectives;
  std::vector<std::uint8_t> is_host(rank.lanes.size(), 0), is_device(rank.lanes.size(), 0);
  const std::vector<EventIndex> steps = link::find_steps(trace, rank, trace::ContentOrder(trace, rank));
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
  for (const EventIndex e : steps) info.steps.push_back({rank.name[e], rank.start[e] - info.begin, rank.duration[e]});
  std::erase_if(info.categories, [](const CategoryCount& c) { return c.events == 0; });
  std::stable_sort(info.categories.begin(), info.categories.end(),
                   [](const CategoryCount& a, const CategoryCount& b) { return a.events > b.events; });
  info.annotations = by_time(annotations);
  info.collectives = by_time(collectives);
  info.host_lanes = static_cast<std::size_t>(std::count(is_host.begin(), is_host.end(), 1));
  info.device_streams = static_cast<std::size_t>(std::count(is_device.begin(), is_device.end(), 1));
  return info;
}

std::string event_json(const trace::Trace& trace, const trace::RankTrace& rank, trace::EventIndex event) {
  std::string text;
  JsonWriter json(text);
  const trace::Lane& lane = rank.lanes[rank.lane[event]];
  json.begin_object().field("name", trace.name(rank, event)).field("cat", trace.strings.text(rank.categories[rank.category[event]].text));
  json.field("ts", to_us(rank.start[event]));
  if (rank.has_duration(event)) json.field("dur", to_us(rank.duration[event]));
  json.key("pid").raw(to_json(trace.strings, lane.process)).key("tid").raw(to_json(trace.strings, lane.thread));
  json.key("args").begin_object();
  using trace::SparseColumn;
  using trace::ValueType;
  trace::ArgumentTable::for_each(rank.arguments, [&](std::string_view name, std::string_view, ValueType type, const SparseColumn& column) {
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

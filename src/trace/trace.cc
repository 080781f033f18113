#include "trace/trace.h"

#include <algorithm>
#include <map>

#include "base/int128.h"
#include "base/json_writer.h"

namespace orrery::trace {
namespace {

// Text ids of one interner -> ids of another, adding what is missing in order of number, that is of first appearance.
Column<StringId> translate(const Interner& from, Interner& into) {
  Column<StringId> ids(from.size());
  for (StringId id = 0; id < from.size(); ++id) ids[id] = into.intern(from.text(id));
  return ids;
}

bool holds_text(Field field) { return field >= Field::collective_text; }

LaneKey translate(LaneKey key, const Column<StringId>& ids) { return {key.number, ids[key.text]}; }

// Shifts by `delta` unless a value would leave the range of TimePs.
bool shift(Column<TimePs>& times, Int128 delta) {
  if (times.empty() || delta == 0) return true;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  constexpr Int128 kLimit = static_cast<Int128>(1) << 63;
  if (*high + delta >= kLimit || *low + delta < -kLimit) return false;
  for (TimePs& time : times) time += static_cast<TimePs>(delta);
  return true;
}

bool move_to_epoch(RankTrace& rank, std::int64_t epoch_unix_ns) {
  const Int128 delta = (static_cast<Int128>(rank.epoch_unix_ns) - epoch_unix_ns) * kPsPerNs;
  if (!shift(rank.start, delta)) return false;
  if (!shift(rank.flows.time, delta)) return false;
  rank.epoch_unix_ns = epoch_unix_ns;
  return true;
}

void renumber_texts(RankTrace& rank, const Column<StringId>& ids) {
  for (StringId& name : rank.name) name = ids[name];
  for (Lane& lane : rank.lanes) lane = {translate(lane.process, ids), translate(lane.thread, ids), ids[lane.process_name], ids[lane.thread_name]};
  for (Category& category : rank.categories) category.text = ids[category.text];
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    if (!holds_text(static_cast<Field>(f))) continue;
    for (std::int64_t& value : rank.fields[f].value) value = ids[static_cast<StringId>(value)];
  }
}

}  // namespace

const char* to_string(Activity activity) {
  switch (activity) {
    case Activity::other: return "other";
    case Activity::cpu_operator: return "cpu operator";
    case Activity::python: return "python";
    case Activity::annotation: return "annotation";
    case Activity::runtime_call: return "runtime call";
    case Activity::kernel: return "kernel";
    case Activity::memory_copy: return "memory copy";
    case Activity::memory_set: return "memory set";
    case Activity::device_annotation: return "device annotation";
    case Activity::synchronization: return "synchronization";
    case Activity::overhead: return "profiler overhead";
    case Activity::profiler_span: return "profiler span";
  }
  return "other";
}

const char* to_string(Field field) {
  static constexpr const char* kNames[kFieldCount] = {
      "correlation", "stream", "device", "external_id", "wait_on_stream", "wait_on_record", "bytes", "python_id", "python_parent_id", "sequence_number",
      "forward_thread", "in_elements", "out_elements", "group_size", "collective_sequence", "graph_node", "collective", "dtype", "group_name", "group_ranks"};
  return kNames[static_cast<std::size_t>(field)];
}

std::string to_json(const Interner& strings, LaneKey key) {
  if (key.text == 0) return std::to_string(key.number);
  std::string quoted;
  append_json_string(quoted, strings.text(key.text));
  return quoted;
}

std::optional<std::int64_t> SparseColumn::find(EventIndex e) const {
  const auto* at = std::lower_bound(event.begin(), event.end(), e);
  if (at == event.end() || *at != e) return std::nullopt;
  return value[static_cast<std::size_t>(at - event.begin())];
}

Column<std::int64_t> SparseColumn::dense(std::size_t events, std::int64_t missing) const {
  Column<std::int64_t> result(events, missing);
  for (std::size_t i = 0; i < event.size(); ++i) result[event[i]] = value[i];
  return result;
}

std::size_t RankTrace::memory_bytes() const {
  std::size_t bytes = start.memory_bytes() + duration.memory_bytes() + name.memory_bytes() + lane.memory_bytes() + category.memory_bytes() + phase.memory_bytes() +
                      flags.memory_bytes() + ordinal.memory_bytes() + source_offset.memory_bytes();
  for (const SparseColumn& column : fields) bytes += column.event.memory_bytes() + column.value.memory_bytes();
  bytes += flows.id.memory_bytes() + flows.time.memory_bytes() + flows.lane.memory_bytes() + flows.category.memory_bytes() + flows.phase.memory_bytes();
  return bytes;
}

bool append(RankTrace& into, Interner& into_strings, RankTrace&& later, const Interner& later_strings) {
  if (!move_to_epoch(later, into.epoch_unix_ns)) return false;
  renumber_texts(later, translate(later_strings, into_strings));

  std::map<std::pair<LaneKey, LaneKey>, LaneIndex> known_lanes;
  for (const Lane& lane : into.lanes) known_lanes.emplace(std::pair(lane.process, lane.thread), static_cast<LaneIndex>(known_lanes.size()));
  std::vector<LaneIndex> lanes;
  for (const Lane& lane : later.lanes) {
    const auto [at, is_new] = known_lanes.emplace(std::pair(lane.process, lane.thread), static_cast<LaneIndex>(into.lanes.size()));
    if (is_new) into.lanes.push_back(lane);
    Lane& merged = into.lanes[at->second];
    if (lane.process_name != 0) merged.process_name = lane.process_name;
    if (lane.thread_name != 0) merged.thread_name = lane.thread_name;
    lanes.push_back(at->second);
  }
  std::vector<std::uint16_t> categories;
  for (const Category& category : later.categories) {
    auto at = std::find_if(into.categories.begin(), into.categories.end(), [&](const Category& known) { return known.text == category.text; });
    if (at == into.categories.end()) at = into.categories.insert(at, category);
    categories.push_back(static_cast<std::uint16_t>(at - into.categories.begin()));
  }
  for (LaneIndex& lane : later.lane) lane = lanes[lane];
  for (LaneIndex& lane : later.flows.lane) lane = lanes[lane];
  for (std::uint16_t& category : later.category) category = categories[category];
  for (std::uint16_t& category : later.flows.category) category = categories[category];

  const auto base_event = static_cast<EventIndex>(into.event_count());
  const auto base_ordinal = static_cast<std::uint32_t>(into.source.entries);
  for (std::uint32_t& ordinal : later.ordinal) ordinal += base_ordinal;
  // Each column is released as soon as it has been appended, so that two copies of the trace never exist at once.
  const auto move_column = [](auto& target, auto& source) {
    target.append(source);
    source = {};
  };
  move_column(into.start, later.start);
  move_column(into.duration, later.duration);
  move_column(into.name, later.name);
  move_column(into.lane, later.lane);
  move_column(into.category, later.category);
  move_column(into.phase, later.phase);
  move_column(into.flags, later.flags);
  move_column(into.ordinal, later.ordinal);
  move_column(into.source_offset, later.source_offset);
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    for (EventIndex& event : later.fields[f].event) event += base_event;
    move_column(into.fields[f].event, later.fields[f].event);
    move_column(into.fields[f].value, later.fields[f].value);
  }
  move_column(into.flows.id, later.flows.id);
  move_column(into.flows.time, later.flows.time);
  move_column(into.flows.lane, later.flows.lane);
  move_column(into.flows.category, later.flows.category);
  move_column(into.flows.phase, later.flows.phase);
  into.source.entries += later.source.entries;
  into.source.fractional_timestamps |= later.source.fractional_timestamps;
  into.source.events_without_timestamp += later.source.events_without_timestamp;
  return true;
}

bool add_rank(Trace& trace, RankTrace&& rank, const Interner& strings) {
  if (trace.ranks.empty()) trace.epoch_unix_ns = rank.epoch_unix_ns;
  if (!move_to_epoch(rank, trace.epoch_unix_ns)) return false;
  renumber_texts(rank, translate(strings, trace.strings));
  const auto at = std::upper_bound(trace.ranks.begin(), trace.ranks.end(), rank, [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  trace.ranks.insert(at, std::move(rank));
  return true;
}

}  // namespace orrery::trace

#include "formats/perfetto/writer.h"

#include <string_view>
#include <vector>

#include "base/time_text.h"

// Event by event in the order of the trace, with a cursor per column of arguments, since columns are sparse and sorted
// by event; so writing is linear and needs no lookups.

namespace orrery::perfetto {
namespace {

using trace::EventIndex;

// A megabyte at a time: few calls, little memory.
constexpr std::size_t kFlushBytes = 1u << 20;

/// Walks the sparse columns along with the events.
class ArgumentCursor {
 public:
  explicit ArgumentCursor(const trace::RankTrace& rank) {
    using trace::SparseColumn;
    using trace::ValueType;
    trace::ArgumentTable::for_each(
        rank.arguments, [&](std::string_view, std::string_view written, ValueType type, const SparseColumn& column) {
          if (!column.event.empty()) columns_.push_back({written, type == ValueType::text, &column, 0});
        });
  }

  /// To be called for every event in order.
  void write(EventIndex event, const Interner& strings, JsonWriter& json) {
    for (Place& place : columns_) {
      // Columns have their events in ascending order, so the next one is either this event or a later one.
      if (place.next == place.column->event.size() || place.column->event[place.next] != event) continue;
      const std::int64_t value = place.column->value[place.next++];
      if (place.holds_text) json.field(place.name, strings.text(static_cast<StringId>(value)));
      else json.field(place.name, value);
    }
  }

 private:
  struct Place {
    std::string_view name;
    bool holds_text;
    const trace::SparseColumn* column;
    std::size_t next;
  };
  std::vector<Place> columns_;
};

}  // namespace

Header header_of(const trace::RankTrace& rank) {
  return {.rank = rank.rank, .world_size = rank.source.world_size, .backend = rank.source.backend};
}

Result<TraceWriter> TraceWriter::create(const std::string& path, const Header& header) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  TraceWriter writer(std::move(*file));
  JsonWriter json(writer.buffer_);
  json.begin_object().field("schemaVersion", 1).field("displayTimeUnit", "ns");
  json.key("distributedInfo").begin_object();
  if (!header.backend.empty()) json.field("backend", header.backend);
  if (header.rank) json.field("rank", *header.rank);
  if (header.world_size) json.field("world_size", *header.world_size);
  json.end_object();
  json.key("traceEvents").begin_array();
  return writer;
}

JsonWriter TraceWriter::begin_entry() {
  if (buffer_.size() >= kFlushBytes) {
    file_.write(buffer_);
    buffer_.clear();
  }
  buffer_ += has_entries_ ? ",\n" : "\n";
  has_entries_ = true;
  JsonWriter json(buffer_);
  json.begin_object();
  return json;
}

void TraceWriter::add_rank(const trace::RankTrace& rank, const Interner& strings, const MoreArguments& more) {
  std::vector<Row> rows;
  for (const trace::Lane& lane : rank.lanes)
    rows.push_back({to_json(strings, lane.process), to_json(strings, lane.thread), strings.text(lane.process_name),
                    strings.text(lane.thread_name)});
  add_lanes(rows);
  add_events(rank, rows, strings, more);
  add_flows(rank, rank.flows, rows, strings);
}

void TraceWriter::add_rank(const trace::RankTrace& rank, const Interner& strings, std::span<const LaneLabel> labels,
                           const trace::Flows& flows) {
  std::vector<Row> rows;
  for (const LaneLabel& label : labels)
    rows.push_back(
        {std::to_string(label.process), std::to_string(label.thread), label.process_name, label.thread_name});
  add_lanes(rows);
  add_events(rank, rows, strings, {});
  add_flows(rank, flows, rows, strings);
}

void TraceWriter::add_lanes(const std::vector<Row>& rows) {
  const auto describe = [&](const char* what, const Row& row, bool of_process, const auto& write_value) {
    JsonWriter json = begin_entry();
    json.field("ph", "M").field("name", what).key("pid").raw(row.process);
    if (!of_process) json.key("tid").raw(row.thread);
    json.key("args").begin_object();
    write_value(json);
    json.end_object().end_object();
  };
  for (std::size_t lane = 0; lane < rows.size(); ++lane) {
    const Row& row = rows[lane];
    // Lanes of a process stand together, and its name is needed once.
    if (!row.process_name.empty() && (lane == 0 || rows[lane - 1].process != row.process)) {
      describe("process_name", row, true, [&](JsonWriter& json) { json.field("name", row.process_name); });
      // Names that are texts cannot be sorted as numbers; viewers then sort them themselves.
      const bool is_number = !row.process.starts_with('"');
      if (is_number)
        describe("process_sort_index", row, true, [&](JsonWriter& json) { json.key("sort_index").raw(row.process); });
    }
    if (row.thread_name.empty()) continue;
    describe("thread_name", row, false, [&](JsonWriter& json) { json.field("name", row.thread_name); });
    // By its place: the order of lanes in the trace is the one to be seen.
    describe("thread_sort_index", row, false, [&](JsonWriter& json) { json.field("sort_index", lane); });
  }
}

void TraceWriter::add_events(const trace::RankTrace& rank, const std::vector<Row>& rows, const Interner& strings,
                             const MoreArguments& more) {
  ArgumentCursor arguments(rank);
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    const bool has_duration = rank.has_duration(event);
    JsonWriter json = begin_entry();
    json.field("ph", has_duration ? "X" : "i").field("cat", strings.text(rank.categories[rank.category[event]].text));
    json.field("name", strings.text(rank.name[event]));
    const Row& row = rows[rank.lane[event]];
    json.key("pid").raw(row.process).key("tid").raw(row.thread);
    // In 128 bits, since picoseconds since 1970 do not fit into 64.
    json.key("ts").raw(decimal_us(Int128{rank.epoch_unix_ns} * kPsPerNs + rank.start[event]));
    if (has_duration) json.key("dur").raw(decimal_us(rank.duration[event]));
    // A mark of a thread, not of the process.
    else json.field("s", "t");
    json.key("args").begin_object();
    arguments.write(event, strings, json);
    if (more) more(event, json);
    json.end_object().end_object();
  }
}

void TraceWriter::add_flows(const trace::RankTrace& rank, const trace::Flows& flows, const std::vector<Row>& rows,
                            const Interner& strings) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::string_view category = strings.text(rank.categories[flows.category[i]].text);
    const Row& row = rows[flows.lane[i]];
    JsonWriter json = begin_entry();
    json.field("ph", std::string_view(&flows.phase[i], 1)).field("cat", category);
    json.field("name", category.empty() ? "flow" : category).field("id", flows.id[i]);
    json.key("pid").raw(row.process).key("tid").raw(row.thread);
    json.key("ts").raw(decimal_us(Int128{rank.epoch_unix_ns} * kPsPerNs + flows.time[i]));
    if (flows.phase[i] == 'f') json.field("bp", "e");  // it ends in the event around it, not in the next one
    json.end_object();
  }
}

JsonWriter TraceWriter::begin_async_entry(const trace::RankTrace& rank, const Interner& strings,
                                          const AsyncSlice& slice, char phase, TimePs at) {
  const trace::Lane& lane = rank.lanes[slice.lane];
  JsonWriter json = begin_entry();
  json.field("ph", std::string_view(&phase, 1)).field("cat", slice.category).field("name", slice.name);
  json.field("id", slice.id).key("pid").raw(to_json(strings, lane.process));
  json.key("tid").raw(to_json(strings, lane.thread));
  json.key("ts").raw(decimal_us(Int128{rank.epoch_unix_ns} * kPsPerNs + at));
  return json;
}

void TraceWriter::begin_async(const trace::RankTrace& rank, const Interner& strings, const AsyncSlice& slice, TimePs at,
                              const std::function<void(JsonWriter& args)>& more) {
  JsonWriter json = begin_async_entry(rank, strings, slice, 'b', at);
  json.key("args").begin_object();
  if (more) more(json);
  json.end_object().end_object();
}

void TraceWriter::end_async(const trace::RankTrace& rank, const Interner& strings, const AsyncSlice& slice, TimePs at) {
  begin_async_entry(rank, strings, slice, 'e', at).end_object();
}

void TraceWriter::add_counters(const trace::RankTrace& rank, const Interner& strings) {
  const std::string process = to_json(strings, rank.lanes.front().process);
  for (std::size_t i = 0; i < rank.counters.size(); ++i) {
    JsonWriter json = begin_entry();
    json.field("ph", "C").field("name", strings.text(rank.counters.name[i])).key("pid").raw(process);
    json.key("ts").raw(decimal_us(Int128{rank.epoch_unix_ns} * kPsPerNs + rank.counters.time[i]));
    json.key("args").begin_object().field("value", rank.counters.value[i]).end_object().end_object();
  }
}

Status TraceWriter::commit() {
  buffer_ += "\n]}\n";
  file_.write(buffer_);
  buffer_.clear();
  return file_.commit();
}

}  // namespace orrery::perfetto

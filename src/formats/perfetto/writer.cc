#include "formats/perfetto/writer.h"

#include <array>
#include <vector>

#include "formats/perfetto/timestamp.h"

namespace orrery::perfetto {
namespace {

using trace::EventIndex;
using trace::Field;

constexpr std::size_t kFlushBytes = 1u << 20;

// How PyTorch's profiler calls the arguments, by trace::Field.
constexpr std::array<const char*, trace::kFieldCount> kArgumentNames = {"correlation",
                                                                        "stream",
                                                                        "device",
                                                                        "External id",
                                                                        "wait_on_stream",
                                                                        "wait_on_cuda_event_record_corr_id",
                                                                        "bytes",
                                                                        "Python id",
                                                                        "Python parent id",
                                                                        "Sequence number",
                                                                        "Fwd thread id",
                                                                        "In msg nelems",
                                                                        "Out msg nelems",
                                                                        "Group size",
                                                                        "Seq",
                                                                        "graph node id",
                                                                        "Record function id",
                                                                        "step_num",
                                                                        "Collective name",
                                                                        "dtype",
                                                                        "Process Group Name",
                                                                        "Process Group Ranks",
                                                                        "hlo_module",
                                                                        "hlo_op"};

bool holds_text(std::size_t field) { return field >= static_cast<std::size_t>(Field::collective_text); }

/// Walks the sparse columns along with the events.
class ArgumentCursor {
 public:
  explicit ArgumentCursor(const trace::RankTrace& rank) : rank_(rank) {}

  /// To be called for every event in order.
  void write(EventIndex event, const Interner& strings, JsonWriter& json) {
    for (std::size_t f = 0; f < trace::kFieldCount; ++f) {
      const trace::SparseColumn& column = rank_.fields[f];
      std::size_t& at = next_[f];
      if (at == column.event.size() || column.event[at] != event) continue;
      const std::int64_t value = column.value[at++];
      if (holds_text(f)) json.field(kArgumentNames[f], strings.text(static_cast<StringId>(value)));
      else json.field(kArgumentNames[f], value);
    }
  }

 private:
  const trace::RankTrace& rank_;
  std::array<std::size_t, trace::kFieldCount> next_ = {};
};

void write_lane(const trace::RankTrace& rank, trace::LaneIndex lane, const Interner& strings, JsonWriter& json) {
  json.key("pid").raw(to_json(strings, rank.lanes[lane].process)).key("tid").raw(to_json(strings, rank.lanes[lane].thread));
}

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
  add_lanes(rank, strings);
  add_events(rank, strings, more);
  add_flows(rank, strings);
}

void TraceWriter::add_lanes(const trace::RankTrace& rank, const Interner& strings) {
  const auto describe = [&](const char* what, trace::LaneIndex lane, bool of_process, const auto& value) {
    JsonWriter json = begin_entry();
    json.field("ph", "M").field("name", what).key("pid").raw(to_json(strings, rank.lanes[lane].process));
    if (!of_process) json.key("tid").raw(to_json(strings, rank.lanes[lane].thread));
    json.key("args").begin_object();
    if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) json.field("sort_index", value);
    else json.field("name", value);
    json.end_object().end_object();
  };
  for (trace::LaneIndex lane = 0; lane < rank.lanes.size(); ++lane) {
    const trace::Lane& row = rank.lanes[lane];
    if (row.process_name != 0 && (lane == 0 || rank.lanes[lane - 1].process != row.process)) {
      describe("process_name", lane, true, strings.text(row.process_name));
      if (row.process.text == 0) describe("process_sort_index", lane, true, row.process.number);
    }
    if (row.thread_name == 0) continue;
    describe("thread_name", lane, false, strings.text(row.thread_name));
    describe("thread_sort_index", lane, false, lane);
  }
}

void TraceWriter::add_events(const trace::RankTrace& rank, const Interner& strings, const MoreArguments& more) {
  ArgumentCursor arguments(rank);
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    const bool has_duration = rank.has_duration(event);
    JsonWriter json = begin_entry();
    json.field("ph", has_duration ? "X" : "i").field("cat", strings.text(rank.categories[rank.category[event]].text));
    json.field("name", strings.text(rank.name[event]));
    write_lane(rank, rank.lane[event], strings, json);
    json.key("ts").raw(timestamp_us(rank.epoch_unix_ns, rank.start[event]));
    if (has_duration) json.key("dur").raw(timestamp_us(0, rank.duration[event]));
    else json.field("s", "t");
    json.key("args").begin_object();
    arguments.write(event, strings, json);
    if (more) more(event, json);
    json.end_object().end_object();
  }
}

void TraceWriter::add_flows(const trace::RankTrace& rank, const Interner& strings) {
  for (std::size_t i = 0; i < rank.flows.size(); ++i) {
    const std::string_view category = strings.text(rank.categories[rank.flows.category[i]].text);
    JsonWriter json = begin_entry();
    json.field("ph", std::string_view(&rank.flows.phase[i], 1)).field("cat", category);
    json.field("name", category.empty() ? "flow" : category).field("id", rank.flows.id[i]);
    write_lane(rank, rank.flows.lane[i], strings, json);
    json.key("ts").raw(timestamp_us(rank.epoch_unix_ns, rank.flows.time[i]));
    if (rank.flows.phase[i] == 'f') json.field("bp", "e");  // it ends in the event around it, not in the next one
    json.end_object();
  }
}

Status TraceWriter::commit() {
  buffer_ += "\n]}\n";
  file_.write(buffer_);
  buffer_.clear();
  return file_.commit();
}

}  // namespace orrery::perfetto

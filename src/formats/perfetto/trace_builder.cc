#include "formats/perfetto/trace_builder.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/numbers.h"
#include "formats/perfetto/diagnostics.h"
#include "formats/perfetto/schema.h"
#include "trace/columns.h"

// Packets in the order of the file: each first changes what its writer's packets refer to, then may add an event. Rows
// are appended as begins come; their ends, which may come in any order, are paired per track when all is read, and so
// are counters summed up and arrows put in order.

namespace orrery::perfetto {

namespace {

/// Whether a packet may describe a track or clocks; nearly all hold an event, which is passed over as a whole.
bool may_describe(std::string_view packet) {
  const char* p = packet.data();
  const char* const end = p + packet.size();
  while (p != end) {
    std::uint64_t tag = 0, value = 0;
    if (!take_varint(p, end, tag)) return true;
    if (tag == wire_tag(packet_field::kTrackDescriptor, WireType::bytes) ||
        tag == wire_tag(packet_field::kClockSnapshot, WireType::bytes))
      return true;
    const auto type = static_cast<WireType>(tag & 7);
    std::uint64_t size = type == WireType::fixed64 ? 8 : 4;
    if (type == WireType::varint || type == WireType::bytes) {
      if (!take_varint(p, end, value)) return true;
      size = type == WireType::bytes ? value : 0;
    } else if (type != WireType::fixed64 && type != WireType::fixed32) {
      return true;
    }
    if (size > static_cast<std::uint64_t>(end - p)) return true;
    p += size;
  }
  return false;
}

}  // namespace

void TraceOutline::look_at(std::string_view packet) {
  if (!may_describe(packet)) return;
  WireReader reader(packet);
  WireField field;
  std::string_view snapshot;
  std::uint64_t sequence = 0;
  while (reader.next(field)) {
    if (field.is(packet_field::kSequence, WireType::varint)) sequence = field.value;
    else if (field.is(packet_field::kTrackDescriptor, WireType::bytes)) tracks.describe(field.bytes);
    else if (field.is(packet_field::kClockSnapshot, WireType::bytes)) snapshot = field.bytes;
  }
  if (!snapshot.empty()) clocks.add_snapshot(read_snapshot(snapshot, sequence, units));
}

std::optional<std::int64_t> rank_in_process_name(std::string_view name, std::string_view word) {
  if (!name.starts_with(word)) return std::nullopt;
  name.remove_prefix(word.size());
  const NumberScan<std::int64_t> number = scan_number<std::int64_t>(name);
  const bool is_word = number.used == name.size() || (number.used < name.size() && name[number.used] == ' ');
  return number.is_number() && number.value >= 0 && is_word ? std::optional(number.value) : std::nullopt;
}

TraceBuilder::TraceBuilder(std::string path, TraceOutline& outline, const BuildOptions& options)
    : path_(std::move(path)),
      tracks_(outline.tracks),
      times_(outline.clocks, outline.units, diagnostics_),
      keys_(strings_, options.operands),
      annotations_(strings_, keys_, diagnostics_),
      positions_(options.positions),
      sync_category_(strings_.intern("cuda_sync")),
      path_category_(strings_.intern("critical path")),
      sync_kind_key_(strings_.intern("cuda_sync_kind")),
      grid_key_(strings_.intern("grid")),
      block_key_(strings_.intern("block")) {
  find_ranks();
}

void TraceBuilder::find_ranks() {
  for (const std::string_view word : {"rank ", "node "}) {
    for (const auto& [pid, name] : tracks_.process_names()) {
      if (const auto rank = rank_in_process_name(name, word)) part_of_rank_[*rank] = 0;
    }
    if (part_of_rank_.empty()) continue;
    for (auto& [rank, part] : part_of_rank_) {
      part = static_cast<std::uint32_t>(parts_.size());
      parts_.emplace_back(strings_, keys_);
      parts_.back().rank.rank = rank;
      parts_.back().rank.source.rank = rank;
    }
    for (const auto& [pid, name] : tracks_.process_names()) {
      if (const auto rank = rank_in_process_name(name, word)) part_of_pid_[pid] = part_of_rank_.at(*rank);
    }
    break;
  }
  if (parts_.empty()) parts_.emplace_back(strings_, keys_);
  for (RankPart& part : parts_) part.rank.source.path = path_;
}

std::uint32_t TraceBuilder::part_of_process(std::optional<std::int64_t> pid) {
  if (parts_.size() == 1 || !pid) return 0;
  const auto [at, is_new] = part_of_pid_.emplace(*pid, 0);
  if (is_new) diagnostics_.add(kProcessOfNoRank, [&] { return path_ + ": process " + std::to_string(*pid); });
  return at->second;
}

std::string TraceBuilder::position() const { return path_ + ": byte " + std::to_string(offset_); }

StringId TraceBuilder::text_of(const NumberTable& table, std::uint64_t number) {
  const std::uint32_t text = table.find(number);
  if (text != NumberTable::kNone) return text;
  diagnostics_.add(kUnknownNumber, [&] { return position() + ": " + std::to_string(number); });
  return 0;
}

Sequence& TraceBuilder::sequence(std::uint64_t id) {
  if (last_sequence_ != nullptr && last_sequence_->id == id) return *last_sequence_;
  Sequence& found = sequences_[id];
  found.id = id;
  last_sequence_ = &found;
  return found;
}

trace::EventIndex TraceBuilder::append(RankPart& part, const trace::EventRow& row) {
  if (!positions_) return part.rank.append_event(row);
  return part.rank.append_event(row, {ordinal_, offset_});
}

void TraceBuilder::add(const Packet& packet) {
  offset_ = packet.offset;
  std::optional<std::uint64_t> timestamp, clock;
  std::uint64_t id = 0, flags = 0;
  bool is_dropped = false;
  std::string_view event, names, defaults, stage, counters, snapshot;
  bool has_event = false, has_defaults = false;
  WireReader reader(packet.bytes);
  WireField field;
  while (reader.next(field)) {
    if (field.is_bytes()) {
      switch (field.number) {
        case packet_field::kTrackEvent: event = field.bytes, has_event = true; break;
        case packet_field::kInternedData: names = field.bytes; break;
        case packet_field::kDefaults: defaults = field.bytes, has_defaults = true; break;
        case packet_field::kRenderStage: stage = field.bytes; break;
        case packet_field::kGpuCounter: counters = field.bytes; break;
        case packet_field::kClockSnapshot: snapshot = field.bytes; break;
        default: break;
      }
      continue;
    }
    switch (field.number) {
      case packet_field::kTimestamp: timestamp = field.value; break;
      case packet_field::kSequence: id = field.value; break;
      case packet_field::kSequenceFlags: flags |= field.value; break;
      case packet_field::kStateCleared: flags |= field.value != 0 ? kStateClearedFlag : 0; break;
      case packet_field::kPacketDropped: is_dropped = field.value != 0; break;
      case packet_field::kClock: clock = field.value; break;
      default: break;
    }
  }
  if (reader.damaged()) diagnostics_.add(kDamagedPacket, [&] { return position(); });
  Sequence& writer = sequence(id);
  // A writer that lost packets may send its names again in the same packet.
  if (is_dropped) writer.is_lost = true;
  if ((flags & kStateClearedFlag) != 0) writer.clear_state();
  if (has_defaults) writer.set_defaults(defaults);
  if (!snapshot.empty()) {
    ClockUnits units;
    PacketTimes::restart(writer, read_snapshot(snapshot, id, units));
  }
  const bool adds = has_event || !stage.empty() || !counters.empty();
  if (writer.is_lost && (flags & kNeedsStateFlag) != 0) {
    diagnostics_.add(kLostState, [&] { return position(); });
    return;
  }
  if (!names.empty() && !writer.add_names(names, strings_))
    diagnostics_.add(kDamagedPacket, [&] { return position(); });
  if (!adds) return;
  std::optional<TimePs> time;
  if (timestamp) time = times_.time_of(writer, clock, *timestamp);
  if (has_event) add_track_event(event, writer, timestamp && !time ? std::nullopt : time);
  if (stage.empty() && counters.empty()) return;
  if (!time) return diagnostics_.add(kNoTime, [&] { return position(); });
  if (!stage.empty()) add_render_stage(stage, writer, *time);
  if (!counters.empty()) add_gpu_counters(counters, writer, *time);
}

TraceBuilder::TrackState& TraceBuilder::state_of(TrackTable::Place place) {
  while (states_.size() <= place) states_.emplace_back();
  TrackState& state = states_[place];
  if (state.part == kNone) resolve(place, state);
  return state;
}

void TraceBuilder::resolve(TrackTable::Place place, TrackState& state) {
  if (const auto above = tracks_.lane_above(place)) {
    // A deque: what it holds stays where it is.
    const TrackState& lane = state_of(*above);
    state.part = lane.part;
    state.lane = lane.lane;
    return;
  }
  const TrackInfo& track = tracks_[place];
  const std::optional<std::int64_t> pid = tracks_.pid_of(place);
  state.part = part_of_process(pid);
  state.is_path = track.name == "critical path" && tracks_.is_below_process(place);
  const StringId process_name = pid ? strings_.intern(tracks_.process_name(*pid)) : 0;
  RankPart& part = parts_[state.part];
  trace::LaneKey thread;
  StringId name = strings_.intern(track.is_thread && !track.thread_name.empty() ? track.thread_name : track.name);
  if (track.is_thread) thread.number = track.tid;
  else if (!track.is_described) thread.number = static_cast<std::int64_t>(track.uuid);
  else {
    // Names need not be unique, and numbers of tracks may meet those of threads: a text tells it apart from both.
    thread.text = name;
    const trace::LaneKey process{pid.value_or(0)};
    const bool is_taken = std::any_of(part.rank.lanes.begin(), part.rank.lanes.end(), [&](const trace::Lane& lane) {
      return lane.process == process && lane.thread == thread;
    });
    if (name == 0 || is_taken)
      thread.text = strings_.intern(std::string(strings_.text(name)) + " #" + std::to_string(track.uuid));
  }
  state.lane = part.lane({pid.value_or(0)}, thread, process_name, name);
}

void TraceBuilder::finish_counters() {
  for (TrackTable::Place place = 0; place < states_.size(); ++place) {
    TrackState& state = states_[place];
    if (state.samples.empty()) continue;
    const TrackInfo& track = tracks_[place];
    std::stable_sort(state.samples.begin(), state.samples.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    const StringId name = strings_.intern(track.name), unit = strings_.intern(track.unit);
    const std::uint32_t part = part_of_process(tracks_.pid_of(place));
    double total = 0;
    for (const TrackState::Sample& sample : state.samples) {
      const double value = sample.value * static_cast<double>(track.multiplier);
      total = track.is_incremental ? total + value : value;
      parts_[part].rank.counters.push(trace::Counters::kNoDevice, name, unit, sample.time, total);
    }
    state.samples = {};
  }
}

// An arrow goes through its points in order of time: the first is where it starts.
void TraceBuilder::finish_flows() {
  std::vector<std::uint32_t> order(flow_points_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(flow_points_[a].id, flow_points_[a].time) < std::pair(flow_points_[b].id, flow_points_[b].time);
  });
  std::vector<char> phases(flow_points_.size(), 't');
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_first = i == 0 || flow_points_[order[i - 1]].id != flow_points_[order[i]].id;
    const bool is_last = i + 1 == order.size() || flow_points_[order[i + 1]].id != flow_points_[order[i]].id;
    if (flow_points_[order[i]].is_ending || (is_last && !is_first)) phases[order[i]] = 'f';
    else if (is_first) phases[order[i]] = 's';
  }
  for (std::size_t i = 0; i < flow_points_.size(); ++i) {
    const FlowPoint& point = flow_points_[i];
    trace::Flows& flows = parts_[point.part].rank.flows;
    flows.id.push_back(static_cast<std::int64_t>(point.id));
    flows.time.push_back(point.time);
    flows.lane.push_back(point.lane);
    flows.category.push_back(point.category);
    flows.phase.push_back(phases[i]);
  }
  flow_points_ = {};
}

std::vector<trace::RankTrace> TraceBuilder::finish() {
  for (TrackState& state : states_) {
    if (state.part != kNone) state.slices.pair(parts_[state.part].rank, diagnostics_);
  }
  finish_counters();
  finish_flows();
  TimePs earliest = std::numeric_limits<TimePs>::max();
  for (const RankPart& part : parts_) {
    for (const TimePs time : part.rank.start) earliest = std::min(earliest, time);
    for (const TimePs time : part.rank.counters.time) earliest = std::min(earliest, time);
  }
  if (earliest == std::numeric_limits<TimePs>::max()) earliest = 0;
  const std::int64_t seconds = earliest / kPsPerSecond - (earliest % kPsPerSecond < 0 ? 1 : 0);
  std::vector<trace::RankTrace> ranks;
  for (RankPart& part : parts_) {
    part.finish();
    trace::RankTrace& rank = part.rank;
    rank.epoch_unix_ns = times_.epoch_unix_ns();
    rank.source.base_time_ns = rank.epoch_unix_ns;
    rank.source.entries = rank.event_count();
    // Times that are told count from the second of the earliest, whatever the file begins with.
    if (seconds != 0)
      static_cast<void>(trace::move_to_epoch(rank, rank.epoch_unix_ns + seconds * (kPsPerSecond / kPsPerNs)));
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

}  // namespace orrery::perfetto

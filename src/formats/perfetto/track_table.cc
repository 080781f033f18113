#include "formats/perfetto/track_table.h"

#include "base/protobuf/protobuf_wire.h"
#include "formats/perfetto/schema.h"

namespace orrery::perfetto {
namespace {

/// Tracks above one another; a circle of parents ends here.
constexpr int kMostAncestors = 64;

std::int64_t small(std::uint64_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }

void read_process(std::string_view message, TrackInfo& track) {
  track.is_process = true;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(track_field::kPid, WireType::varint)) track.pid = small(field.value);
    if (field.is(track_field::kProcessName, WireType::bytes)) track.process_name = field.bytes;
  }
}

void read_thread(std::string_view message, TrackInfo& track) {
  track.is_thread = true;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(track_field::kPid, WireType::varint)) track.pid = small(field.value);
    // 64 bits in newer versions: some systems number threads so.
    if (field.is(track_field::kTid, WireType::varint)) track.tid = field.integer();
    if (field.is(track_field::kThreadName, WireType::bytes)) track.thread_name = field.bytes;
  }
}

void read_counter(std::string_view message, TrackInfo& track) {
  track.is_counter = true;
  WireReader reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.is(track_field::kUnit, WireType::varint) && track.unit.empty()) {
      if (field.value == 1) track.unit = "ns";
      if (field.value == 2) track.unit = "count";
      if (field.value == 3) track.unit = "bytes";
    }
    if (field.is(track_field::kMultiplier, WireType::varint) && field.value != 0) track.multiplier = field.integer();
    if (field.is(track_field::kIncremental, WireType::varint)) track.is_incremental = field.value != 0;
    if (field.is(track_field::kUnitName, WireType::bytes)) track.unit = field.bytes;
  }
}

}  // namespace

TrackTable::Place TrackTable::find(std::uint64_t uuid) {
  const auto [at, is_new] = places_.emplace(uuid, static_cast<Place>(tracks_.size()));
  if (is_new) tracks_.emplace_back().uuid = uuid;
  return at->second;
}

void TrackTable::describe(std::string_view message) {
  std::uint64_t uuid = 0;
  WireField field;
  for (WireReader reader(message); reader.next(field);) {
    if (field.is(track_field::kUuid, WireType::varint)) uuid = field.value;
  }
  TrackInfo& track = tracks_[place_of(uuid)];
  track.is_described = true;
  for (WireReader reader(message); reader.next(field);) {
    switch (field.number) {
      case track_field::kName:
      case track_field::kStaticName:
      case track_field::kAtraceName:
        if (field.is_bytes() && !field.bytes.empty()) track.name = field.bytes;
        break;
      case track_field::kParent:
        if (field.is_varint()) track.parent = field.value;
        break;
      case track_field::kProcess:
        if (field.is_bytes()) read_process(field.bytes, track);
        break;
      case track_field::kThread:
        if (field.is_bytes()) read_thread(field.bytes, track);
        break;
      case track_field::kCounter:
        if (field.is_bytes()) read_counter(field.bytes, track);
        break;
      default: break;
    }
  }
  if (track.is_thread) threads_.emplace(std::pair(track.pid, track.tid), places_.at(uuid));
  if (!track.is_process) return;
  const std::string& name = track.process_name.empty() ? track.name : track.process_name;
  if (!name.empty()) process_names_[track.pid] = name;
}

std::optional<std::int64_t> TrackTable::pid_of(Place place) const {
  for (int steps = 0; steps < kMostAncestors; ++steps) {
    const TrackInfo& track = tracks_[place];
    if (track.is_process || track.is_thread) return track.pid;
    const auto parent = track.parent == 0 ? places_.end() : places_.find(track.parent);
    if (parent == places_.end()) return std::nullopt;
    place = parent->second;
  }
  return std::nullopt;
}

std::string_view TrackTable::process_name(std::int64_t pid) const {
  const auto at = process_names_.find(pid);
  return at == process_names_.end() ? std::string_view() : std::string_view(at->second);
}

TrackTable::Place TrackTable::thread(std::int64_t pid, std::int64_t tid) {
  const auto [at, is_new] = threads_.emplace(std::pair(pid, tid), static_cast<Place>(tracks_.size()));
  if (is_new) {
    TrackInfo& track = tracks_.emplace_back();
    track.is_thread = true;
    track.pid = pid;
    track.tid = tid;
  }
  return at->second;
}

TrackTable::Place TrackTable::row_below(Place track, std::uint64_t number) {
  const auto [at, is_new] = rows_.emplace(std::pair(track, number), static_cast<Place>(tracks_.size()));
  if (is_new) {
    tracks_.emplace_back();
    above_[at->second] = track;
  }
  return at->second;
}

bool TrackTable::is_below_process(Place place) const {
  const auto parent = places_.find(tracks_[place].parent);
  return parent != places_.end() && tracks_[parent->second].is_process;
}

std::optional<TrackTable::Place> TrackTable::lane_above(Place place) const {
  if (const auto row = above_.find(place); row != above_.end()) return row->second;
  const TrackInfo& track = tracks_[place];
  if (track.name != "overlapping" || track.parent == 0) return std::nullopt;
  const auto parent = places_.find(track.parent);
  if (parent == places_.end() || !tracks_[parent->second].is_thread) return std::nullopt;
  return parent->second;
}

}  // namespace orrery::perfetto

#include "formats/perfetto/rank_packets.h"

#include <algorithm>

#include "formats/perfetto/schema.h"
#include "trace/nesting.h"

// Packets are written as they come, on one sequence, so that every name is sent once and then told by its number.
// Slices of a track have to nest: an event that overlaps another one without nesting goes to a further track of the
// same lane.

namespace orrery::perfetto {
namespace {

constexpr std::size_t kFlushAt = 1u << 20;

constexpr std::uint32_t kOneSequence = 1;
void write_annotation(WireWriter& event, std::uint64_t key, const Annotation& annotation) {
  WireWriter out(event, event_field::kAnnotation);
  out.add_number(annotation_field::kKeyNumber, key);
  if (const auto* integer = std::get_if<std::int64_t>(&annotation.value))
    out.add_number(annotation_field::kInteger, *integer);
  else if (const auto* real = std::get_if<double>(&annotation.value)) out.add_fixed(annotation_field::kReal, *real);
  else out.add_bytes(annotation_field::kText, std::get<std::string_view>(annotation.value));
}

}  // namespace

Result<PacketWriter> PacketWriter::create(const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  return PacketWriter(std::move(*file));
}

template <typename Write>
void PacketWriter::add_packet(const Write& write) {
  // In pieces, so that large traces do not stay in memory.
  if (buffer_.size() >= kFlushAt) {
    file_.write(buffer_);
    buffer_.clear();
  }
  WireWriter trace(buffer_);
  WireWriter packet(trace, trace_field::kPacket);
  packet.add_number(packet_field::kSequence, kOneSequence);
  packet.add_number(packet_field::kSequenceFlags, is_first_ ? kStateClearedFlag | kNeedsStateFlag : kNeedsStateFlag);
  is_first_ = false;
  write(packet);
}

template <typename Write>
Track PacketWriter::describe(std::string_view name, const Write& write) {
  const Track track = next_track_++;
  add_packet([&](WireWriter& packet) {
    WireWriter descriptor(packet, packet_field::kTrackDescriptor);
    descriptor.add_number(track_field::kUuid, track);
    descriptor.add_bytes(track_field::kName, name);
    write(descriptor);
  });
  return track;
}

Track PacketWriter::add_process(std::int64_t pid, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) {
    WireWriter process(descriptor, track_field::kProcess);
    process.add_number(track_field::kPid, pid);
    process.add_bytes(track_field::kProcessName, name);
  });
}

Track PacketWriter::add_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) {
    WireWriter thread(descriptor, track_field::kThread);
    thread.add_number(track_field::kPid, pid);
    thread.add_number(track_field::kTid, tid);
    thread.add_bytes(track_field::kThreadName, name);
  });
}

Track PacketWriter::add_track(Track parent, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) { descriptor.add_number(track_field::kParent, parent); });
}

Track PacketWriter::add_counter(Track parent, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) {
    descriptor.add_number(track_field::kParent, parent);
    // Empty, and there: that makes it a counter.
    descriptor.add_bytes(track_field::kCounter, {});
  });
}

std::uint64_t PacketWriter::number_of(Names& names, std::string_view text) {
  if (const auto known = names.numbers.find(text); known != names.numbers.end()) return known->second;
  const std::uint64_t number = names.numbers.size() + 1;
  names.numbers.emplace(text, number);
  WireWriter data(new_names_);
  WireWriter entry(data, names.field);
  entry.add_number(interned_field::kNumber, number);
  entry.add_bytes(interned_field::kText, text);
  return number;
}

void PacketWriter::add_event(Track track, std::int64_t time_ns, EventType type, const Slice& slice) {
  new_names_.clear();
  const std::uint64_t name = number_of(event_names_, slice.name);
  const std::uint64_t category = slice.category.empty() ? 0 : number_of(categories_, slice.category);
  for (const Annotation& annotation : slice.annotations) number_of(keys_, annotation.key);
  add_packet([&](WireWriter& packet) {
    packet.add_number(packet_field::kTimestamp, time_ns);
    if (!new_names_.empty()) packet.add_bytes(packet_field::kInternedData, new_names_);
    WireWriter event(packet, packet_field::kTrackEvent);
    event.add_number(event_field::kType, static_cast<std::uint32_t>(type));
    event.add_number(event_field::kTrack, track);
    event.add_number(event_field::kNameNumber, name);
    if (category != 0) event.add_number(event_field::kCategoryNumbers, category);
    for (const FlowId flow : slice.begins) event.add_fixed(event_field::kFlows, flow);
    for (const FlowId flow : slice.ends) event.add_fixed(event_field::kEndingFlows, flow);
    for (const Annotation& annotation : slice.annotations)
      write_annotation(event, keys_.numbers.find(annotation.key)->second, annotation);
  });
}

void PacketWriter::end(Track track, std::int64_t time_ns) {
  add_packet([&](WireWriter& packet) {
    packet.add_number(packet_field::kTimestamp, time_ns);
    WireWriter event(packet, packet_field::kTrackEvent);
    event.add_number(event_field::kType, static_cast<std::uint32_t>(kEnd));
    event.add_number(event_field::kTrack, track);
  });
}

void PacketWriter::count(Track counter, std::int64_t time_ns, std::int64_t value) {
  add_packet([&](WireWriter& packet) {
    packet.add_number(packet_field::kTimestamp, time_ns);
    WireWriter event(packet, packet_field::kTrackEvent);
    event.add_number(event_field::kType, static_cast<std::uint32_t>(kCounter));
    event.add_number(event_field::kTrack, counter);
    event.add_number(event_field::kCounterValue, value);
  });
}

Status PacketWriter::commit() {
  file_.write(buffer_);
  buffer_.clear();
  return file_.commit();
}

namespace {

using trace::EventIndex;

/// The tracks of one lane. Slices of a track nest: a slice goes to the first where it does.
class LaneTracks {
 public:
  LaneTracks(Track first, PacketWriter& writer)
      : tracks_{first},
        writer_(writer),
        rows_([this](trace::NestingRows::Row row, std::int64_t end) { writer_.end(tracks_[row], end); }) {}

  /// Slices come by start.
  void begin(std::int64_t start, std::int64_t end, const Slice& slice) {
    const trace::NestingRows::Row row = rows_.add(start, end);
    if (row == tracks_.size()) tracks_.push_back(writer_.add_track(tracks_.front(), "overlapping"));
    writer_.begin(tracks_[row], start, slice);
  }

  void finish() { rows_.finish(); }

 private:
  std::vector<Track> tracks_;  // by row
  PacketWriter& writer_;
  trace::NestingRows rows_;
};

/// The arguments of events that come in any order.
class EventAnnotations {
 public:
  EventAnnotations(const trace::RankTrace& rank, const Interner& strings) : strings_(strings) {
    trace::ArgumentTable::for_each(rank.arguments, [&](std::string_view, std::string_view written,
                                                       trace::ValueType type, const trace::SparseColumn& column) {
      if (!column.event.empty()) columns_.push_back({written, type == trace::ValueType::text, &column});
    });
  }

  /// Good until the next call.
  std::span<const Annotation> of(EventIndex event) {
    found_.clear();
    for (const Place& place : columns_) {
      const std::optional<std::int64_t> value = place.column->find(event);
      if (!value) continue;
      if (place.holds_text) found_.push_back({place.key, strings_.text(static_cast<StringId>(*value))});
      else found_.push_back({place.key, *value});
    }
    return found_;
  }

 private:
  struct Place {
    std::string_view key;
    bool holds_text;
    const trace::SparseColumn* column;
  };
  const Interner& strings_;
  std::vector<Place> columns_;
  std::vector<Annotation> found_;
};

/// The arrows of events that come in any order.
class EventFlows {
 public:
  explicit EventFlows(std::span<const FlowEnd> flows) : flows_(flows) {}

  void find(EventIndex event, Slice& slice) {
    begins_.clear(), ends_.clear();
    auto at = std::lower_bound(flows_.begin(), flows_.end(), event,
                               [](const FlowEnd& flow, EventIndex e) { return flow.event < e; });
    for (; at != flows_.end() && at->event == event; ++at) (at->leaves ? begins_ : ends_).push_back(at->flow);
    slice.begins = begins_;
    slice.ends = ends_;
  }

 private:
  std::span<const FlowEnd> flows_;
  std::vector<FlowId> begins_, ends_;  // of the last one
};

}  // namespace

void write_rank(const trace::RankTrace& rank, const Interner& strings, std::span<const Track> lanes,
                std::span<const FlowEnd> flows, std::int64_t epoch_ns, PacketWriter& writer) {
  const trace::LaneOrder order(rank);
  EventAnnotations annotations(rank, strings);
  EventFlows arrows(flows);
  for (trace::LaneIndex lane = 0; lane < rank.lanes.size(); ++lane) {
    LaneTracks tracks(lanes[lane], writer);
    for (const EventIndex event : order.of(lane)) {
      Slice slice{.name = strings.text(rank.name[event]),
                  .category = strings.text(rank.categories[rank.category[event]].text)};
      slice.annotations = annotations.of(event);
      arrows.find(event, slice);
      const std::int64_t start = to_ns(rank.start[event], epoch_ns);
      if (rank.has_duration(event)) tracks.begin(start, std::max(start, to_ns(rank.end(event), epoch_ns)), slice);
      else writer.mark(lanes[lane], start, slice);
    }
    tracks.finish();
  }
}

}  // namespace orrery::perfetto

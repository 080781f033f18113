#include "formats/perfetto/packet_writer.h"

namespace orrery::perfetto {
namespace {

constexpr std::size_t kFlushAt = 1u << 20;

// Numbers of fields, as perfetto/protos/perfetto/trace has them.
namespace field {
constexpr std::uint32_t kPacket = 1;  // of Trace
// of TracePacket
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                        kTrackDescriptor = 60;
// of TrackDescriptor
constexpr std::uint32_t kUuid = 1, kTrackName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
// of ProcessDescriptor and ThreadDescriptor
constexpr std::uint32_t kPid = 1, kProcessName = 6, kTid = 2, kThreadName = 5;
// of TrackEvent
constexpr std::uint32_t kCategoryNumbers = 3, kAnnotation = 4, kType = 9, kNameNumber = 10, kTrack = 11,
                        kCounterValue = 30, kFlows = 47, kEndingFlows = 48;
// of DebugAnnotation
constexpr std::uint32_t kKeyNumber = 1, kIntegerValue = 4, kRealValue = 5, kTextValue = 6;
// of what InternedData holds
constexpr std::uint32_t kNumber = 1, kText = 2;
}  // namespace field

constexpr std::uint32_t kOneSequence = 1;
/// The names so far count no more; names are needed to read the packet.
constexpr std::uint32_t kStateCleared = 1, kNeedsState = 2;

void write_annotation(WireWriter& event, std::uint64_t key, const Annotation& annotation) {
  WireWriter out(event, field::kAnnotation);
  out.add_number(field::kKeyNumber, key);
  if (const auto* integer = std::get_if<std::int64_t>(&annotation.value))
    out.add_number(field::kIntegerValue, *integer);
  else if (const auto* real = std::get_if<double>(&annotation.value)) out.add_fixed(field::kRealValue, *real);
  else out.add_bytes(field::kTextValue, std::get<std::string_view>(annotation.value));
}

}  // namespace

Result<PacketWriter> PacketWriter::create(const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  return PacketWriter(std::move(*file));
}

template <typename Write>
void PacketWriter::add_packet(const Write& write) {
  if (buffer_.size() >= kFlushAt) {
    file_.write(buffer_);
    buffer_.clear();
  }
  WireWriter trace(buffer_);
  WireWriter packet(trace, field::kPacket);
  packet.add_number(field::kSequence, kOneSequence);
  packet.add_number(field::kSequenceFlags, is_first_ ? kStateCleared | kNeedsState : kNeedsState);
  is_first_ = false;
  write(packet);
}

template <typename Write>
Track PacketWriter::describe(std::string_view name, const Write& write) {
  const Track track = next_track_++;
  add_packet([&](WireWriter& packet) {
    WireWriter descriptor(packet, field::kTrackDescriptor);
    descriptor.add_number(field::kUuid, track);
    descriptor.add_bytes(field::kTrackName, name);
    write(descriptor);
  });
  return track;
}

Track PacketWriter::add_process(std::int64_t pid, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) {
    WireWriter process(descriptor, field::kProcess);
    process.add_number(field::kPid, pid);
    process.add_bytes(field::kProcessName, name);
  });
}

Track PacketWriter::add_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) {
    WireWriter thread(descriptor, field::kThread);
    thread.add_number(field::kPid, pid);
    thread.add_number(field::kTid, tid);
    thread.add_bytes(field::kThreadName, name);
  });
}

Track PacketWriter::add_track(Track parent, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) { descriptor.add_number(field::kParent, parent); });
}

Track PacketWriter::add_counter(Track parent, std::string_view name) {
  return describe(name, [&](WireWriter& descriptor) {
    descriptor.add_number(field::kParent, parent);
    // Empty, and there: that makes it a counter.
    descriptor.add_bytes(field::kCounter, {});
  });
}

std::uint64_t PacketWriter::number_of(Names& names, std::string_view text) {
  if (const auto known = names.numbers.find(text); known != names.numbers.end()) return known->second;
  const std::uint64_t number = names.numbers.size() + 1;
  names.numbers.emplace(text, number);
  WireWriter data(new_names_);
  WireWriter entry(data, names.field);
  entry.add_number(field::kNumber, number);
  entry.add_bytes(field::kText, text);
  return number;
}

void PacketWriter::add_event(Track track, std::int64_t time_ns, EventType type, const Slice& slice) {
  new_names_.clear();
  const std::uint64_t name = number_of(event_names_, slice.name);
  const std::uint64_t category = slice.category.empty() ? 0 : number_of(categories_, slice.category);
  for (const Annotation& annotation : slice.annotations) number_of(keys_, annotation.key);
  add_packet([&](WireWriter& packet) {
    packet.add_number(field::kTimestamp, time_ns);
    if (!new_names_.empty()) packet.add_bytes(field::kInternedData, new_names_);
    WireWriter event(packet, field::kTrackEvent);
    event.add_number(field::kType, static_cast<std::uint32_t>(type));
    event.add_number(field::kTrack, track);
    event.add_number(field::kNameNumber, name);
    if (category != 0) event.add_number(field::kCategoryNumbers, category);
    for (const FlowId flow : slice.begins) event.add_fixed(field::kFlows, flow);
    for (const FlowId flow : slice.ends) event.add_fixed(field::kEndingFlows, flow);
    for (const Annotation& annotation : slice.annotations)
      write_annotation(event, keys_.numbers.find(annotation.key)->second, annotation);
  });
}

void PacketWriter::end(Track track, std::int64_t time_ns) {
  add_packet([&](WireWriter& packet) {
    packet.add_number(field::kTimestamp, time_ns);
    WireWriter event(packet, field::kTrackEvent);
    event.add_number(field::kType, static_cast<std::uint32_t>(kEnd));
    event.add_number(field::kTrack, track);
  });
}

void PacketWriter::count(Track counter, std::int64_t time_ns, std::int64_t value) {
  add_packet([&](WireWriter& packet) {
    packet.add_number(field::kTimestamp, time_ns);
    WireWriter event(packet, field::kTrackEvent);
    event.add_number(field::kType, static_cast<std::uint32_t>(kCounter));
    event.add_number(field::kTrack, counter);
    event.add_number(field::kCounterValue, value);
  });
}

Status PacketWriter::commit() {
  file_.write(buffer_);
  buffer_.clear();
  return file_.commit();
}

}  // namespace orrery::perfetto

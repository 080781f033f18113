#include "formats/memory_snapshot/reader.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/io/file_content.h"
#include "base/plain/pickle.h"
#include "base/plain/plain_members.h"
#include "trace/names/python_frames.h"

namespace orrery::memory_snapshot {
namespace {

using Type = PlainValues::Type;

constexpr std::string_view kHistory = "device_traces";

/// As Action has them. The others ("snapshot", "workspace_snapshot") say that somebody looked, and change nothing.
constexpr std::array<std::string_view, 8> kActions = {
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "oom"};

enum EventKey : std::uint8_t { kAction, kAddress, kSize, kTime, kDeviceFree, kFrames };
constexpr std::array<std::string_view, 6> kEventKeys = {"action", "addr", "size", "time_us", "device_free", "frames"};

/// The events of one device, in order.
struct History {
  std::vector<Event> events;
  std::vector<OutOfMemory> out_of_memory;
};

/// Events are most of a snapshot: they are taken while it is read. The rest is a tree when all is read.
class SnapshotReader final : public PickleRecords {
 public:
  SnapshotReader(const std::string& path, Diagnostics& diagnostics) : path_(path), diagnostics_(diagnostics) {}

  [[nodiscard]] std::string_view key() const override { return kHistory; }
  void take(const PlainValues& values, PlainId list, PlainId record, PlainId first_new) override {
    if (last_ == nullptr || last_list_ != list) last_ = &histories_[list], last_list_ = list;
    read_event(values, record, first_new, *last_);
  }

  Snapshot finish(const PlainValues& values) {
    const auto member = [&](std::string_view key) { return values.find(values.root(), key); };
    for (const PlainId id : values.items(member("segments"))) read_segment(values, id);
    std::map<PlainId, std::size_t> device_of;
    for (const PlainId list : values.items(member(kHistory))) {
      const std::size_t device = out_.events.size();
      std::vector<Event>& events = out_.events.emplace_back();
      const auto [first, is_new] = device_of.try_emplace(list, device);
      History& history = histories_[list];
      if (is_new) {
        // Those that were not taken: a writer may have made the list elsewhere.
        for (const PlainId id : values.items(list))
          read_event(values, id, static_cast<PlainId>(values.size()), history);
        events = std::move(history.events);
      } else {
        events = out_.events[first->second];
      }
      for (OutOfMemory event : history.out_of_memory) {
        event.device = device;
        out_.out_of_memory.push_back(event);
      }
    }
    for (const PlainId id : values.items(member("external_annotations"))) {
      const StringId name = out_.strings.intern(values.text(values.find(id, "name")));
      out_.annotations.push_back({values.text(values.find(id, "stage")) == "START", number(values, id, "device"),
                                  number(values, id, "time_us"), name});
    }
    std::stable_sort(out_.annotations.begin(), out_.annotations.end(),
                     [](const Annotation& a, const Annotation& b) { return a.time_us < b.time_us; });
    read_settings(values, member("allocator_settings"));
    return std::move(out_);
  }

 private:
  static std::int64_t number(const PlainValues& values, PlainId dict, std::string_view key) {
    return values.integer(values.find(dict, key)).value_or(0);
  }
  /// Addresses and sizes that can be added up.
  static bool is_place(std::int64_t address, std::int64_t size) {
    return address >= 0 && size >= 0 && size <= std::int64_t{1} << 44 && address <= INT64_MAX - size;
  }

  void read_segment(const PlainValues& values, PlainId id) {
    Segment segment;
    segment.device = number(values, id, "device");
    segment.address = number(values, id, "address");
    segment.size = number(values, id, "total_size");
    segment.is_small = values.text(values.find(id, "segment_type")) == "small";
    segment.is_expandable = number(values, id, "is_expandable") != 0;
    if (!values.is(id, Type::dict) || !is_place(segment.address, segment.size) || segment.size == 0) return odd();
    for (const PlainId block_id : values.items(values.find(id, "blocks"))) {
      Block block;
      block.address = number(values, block_id, "address");
      // Before 2.1 blocks had no addresses: they lie one behind the other.
      if (values.find(block_id, "address") == PlainValues::kMissing)
        block.address =
            segment.blocks.empty() ? segment.address : segment.blocks.back().address + segment.blocks.back().size;
      block.size = number(values, block_id, "size");
      block.requested = number(values, block_id, "requested_size");
      const std::string_view state = values.text(values.find(block_id, "state"));
      block.state = state == "active_allocated"      ? BlockState::allocated
                    : state == "active_pending_free" ? BlockState::pending_free
                                                     : BlockState::inactive;
      block.where = where(values, values.find(block_id, "frames"), static_cast<PlainId>(values.size()));
      if (is_place(block.address, block.size) && is_place(block.address, block.requested))
        segment.blocks.push_back(block);
      else odd();
    }
    std::stable_sort(segment.blocks.begin(), segment.blocks.end(),
                     [](const Block& a, const Block& b) { return a.address < b.address; });
    out_.segments.push_back(std::move(segment));
  }

  void read_event(const PlainValues& values, PlainId id, PlainId first_new, History& history) {
    if (!members_.open(values, id, event_, first_new)) return odd();
    const auto number_of = [&](EventKey key) { return values.integer(event_[key]).value_or(0); };
    const std::string_view action = values.text(event_[kAction]);
    if (action.empty()) return odd();
    const auto* const known = std::find(kActions.begin(), kActions.end(), action);
    if (known == kActions.end()) return;
    Event event;
    event.action = static_cast<Action>(known - kActions.begin());
    event.address = number_of(kAddress);
    event.size = number_of(kSize);
    event.time_us = number_of(kTime);
    event.where = where(values, event_[kFrames], first_new);
    if (event.action == Action::oom) {
      const std::int64_t free = number_of(kDeviceFree);
      // What did not fit may have been of any size: that may be why.
      if (event.size < 0 || free < 0) return odd();
      history.out_of_memory.push_back({0, event.size, free, event.time_us, event.where});
      return;
    }
    if (!is_place(event.address, event.size)) return odd();
    history.events.push_back(event);
  }

  /// What a frame says about where the program was.
  struct Place {
    enum class Kind : std::uint8_t { not_seen, nothing, program, autograd };
    StringId text = 0;
    Kind kind = Kind::not_seen;
  };
  /// The innermost line of the program, else the innermost node of autograd. Frames are shared by the lists of many
  /// events: each is looked at once, and found again by its number.
  StringId where(const PlainValues& values, PlainId frames, PlainId first_new) {
    StringId node = 0;
    for (const PlainId frame : values.items(frames)) {
      if (frame >= places_.size()) places_.resize(frame + std::size_t{1});
      Place place = places_[frame];
      if (place.kind == Place::Kind::not_seen) place = place_of(values, frame);
      if (frame < first_new) places_[frame] = place;
      if (place.kind == Place::Kind::program) return place.text;
      if (place.kind == Place::Kind::autograd && node == 0) node = place.text;
    }
    return node;
  }
  Place place_of(const PlainValues& values, PlainId frame) {
    const std::string_view file = values.text(values.find(frame, "filename"));
    const std::string_view function = values.text(values.find(frame, "name"));
    if (trace::is_program_file(file))
      return {out_.strings.intern(trace::frame_text(file, number(values, frame, "line"), function)),
              Place::Kind::program};
    const std::string_view node = trace::autograd_node(function);
    if (node.empty()) return {0, Place::Kind::nothing};
    return {out_.strings.intern("autograd: " + std::string(node)), Place::Kind::autograd};
  }

  void read_settings(const PlainValues& values, PlainId settings) {
    AllocatorSettings& out = out_.settings;
    // -1: the largest size there is, as a number with a sign.
    if (const auto split = values.integer(values.find(settings, "max_split_size")); split && *split >= 0)
      out.max_split_size = *split;
    out.expandable_segments = number(values, settings, "expandable_segments") != 0;
    const PlainId divisions = values.find(settings, "roundup_power2_divisions");
    for (std::size_t i = 0; i < out.roundup_divisions.size(); ++i)
      out.roundup_divisions[i] = number(values, divisions, std::to_string(1U << i));
  }

  void odd() {
    diagnostics_.add(kOddEntry, [&] { return path_; });
  }

  const std::string& path_;
  Diagnostics& diagnostics_;
  Snapshot out_;
  std::map<PlainId, History> histories_;  // by their lists
  History* last_ = nullptr;
  PlainId last_list_ = 0;
  PlainMembers<kEventKeys.size()> members_{kEventKeys};
  PlainMembers<kEventKeys.size()>::Members event_;
  std::vector<Place> places_;  // by frame
};

}  // namespace

bool looks_like_snapshot(std::string_view head) {
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  // What it holds comes in this order; the history may be far behind.
  return begins_as_pickle(head) && has("segments") && (has("device_traces") || (has("total_size") && has("blocks")));
}

Result<Snapshot> read_snapshot(const std::string& path, Diagnostics& diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  SnapshotReader reader(path, diagnostics);
  const Result<PlainValues> values = read_pickle(content->bytes(), path, {}, &reader);
  if (!values) return values.error();
  const PlainId root = values->root();
  if (values->find(root, "segments") == PlainValues::kMissing || values->find(root, kHistory) == PlainValues::kMissing)
    return Error{"this is no memory snapshot", path, 0, "its top level has segments and device_traces"};
  return reader.finish(*values);
}

}  // namespace orrery::memory_snapshot

#include "formats/memory_snapshot/reader.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/io/file_content.h"
#include "base/plain/pickle.h"
#include "trace/python_frames.h"

namespace orrery::memory_snapshot {
namespace {

using Type = PlainValues::Type;

/// As Action has them. The others ("snapshot", "workspace_snapshot") say that somebody looked, and change nothing.
constexpr std::array<std::string_view, 8> kActions = {
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "oom"};

class SnapshotReader {
 public:
  SnapshotReader(const PlainValues& values, const std::string& path, Diagnostics& diagnostics)
      : values_(values), path_(path), diagnostics_(diagnostics) {}

  Snapshot read() {
    for (const PlainId id : values_.items(member("segments"))) read_segment(id);
    for (const PlainId device : values_.items(member("device_traces"))) {
      std::vector<Event>& events = out_.events.emplace_back();
      for (const PlainId id : values_.items(device)) read_event(id, events);
    }
    for (const PlainId id : values_.items(member("external_annotations"))) {
      const StringId name = out_.strings.intern(values_.text(values_.find(id, "name")));
      out_.annotations.push_back(
          {values_.text(values_.find(id, "stage")) == "START", number(id, "device"), number(id, "time_us"), name});
    }
    std::stable_sort(out_.annotations.begin(), out_.annotations.end(),
                     [](const Annotation& a, const Annotation& b) { return a.time_us < b.time_us; });
    read_settings(member("allocator_settings"));
    return std::move(out_);
  }

 private:
  [[nodiscard]] PlainId member(std::string_view key) const { return values_.find(values_.root(), key); }
  [[nodiscard]] std::int64_t number(PlainId dict, std::string_view key) const {
    return values_.integer(values_.find(dict, key)).value_or(0);
  }
  /// Addresses and sizes that can be added up.
  static bool is_place(std::int64_t address, std::int64_t size) {
    return address >= 0 && size >= 0 && size <= std::int64_t{1} << 44 && address <= INT64_MAX - size;
  }

  void read_segment(PlainId id) {
    Segment segment;
    segment.device = number(id, "device");
    segment.address = number(id, "address");
    segment.size = number(id, "total_size");
    segment.is_small = values_.text(values_.find(id, "segment_type")) == "small";
    segment.is_expandable = number(id, "is_expandable") != 0;
    if (!values_.is(id, Type::dict) || !is_place(segment.address, segment.size) || segment.size == 0) return odd();
    for (const PlainId block_id : values_.items(values_.find(id, "blocks"))) {
      Block block;
      block.address = number(block_id, "address");
      // Before 2.1 blocks had no addresses: they lie one behind the other.
      if (values_.find(block_id, "address") == PlainValues::kMissing)
        block.address =
            segment.blocks.empty() ? segment.address : segment.blocks.back().address + segment.blocks.back().size;
      block.size = number(block_id, "size");
      block.requested = number(block_id, "requested_size");
      const std::string_view state = values_.text(values_.find(block_id, "state"));
      block.state = state == "active_allocated"      ? BlockState::allocated
                    : state == "active_pending_free" ? BlockState::pending_free
                                                     : BlockState::inactive;
      block.where = where(values_.find(block_id, "frames"));
      if (is_place(block.address, block.size)) segment.blocks.push_back(block);
      else odd();
    }
    std::stable_sort(segment.blocks.begin(), segment.blocks.end(),
                     [](const Block& a, const Block& b) { return a.address < b.address; });
    out_.segments.push_back(std::move(segment));
  }

  void read_event(PlainId id, std::vector<Event>& events) {
    const std::string_view action = values_.text(values_.find(id, "action"));
    if (action.empty()) return odd();
    const auto* const known = std::find(kActions.begin(), kActions.end(), action);
    if (known == kActions.end()) return;
    Event event;
    event.action = static_cast<Action>(known - kActions.begin());
    event.address = number(id, "addr");
    event.size = number(id, "size");
    event.time_us = number(id, "time_us");
    event.device_free = number(id, "device_free");
    event.where = where(values_.find(id, "frames"));
    // What did not fit may have been of any size: that may be why.
    const bool is_kept =
        event.action == Action::oom ? event.size >= 0 && event.device_free >= 0 : is_place(event.address, event.size);
    if (!is_kept) return odd();
    events.push_back(event);
  }

  /// Lists of frames are shared by many events: each is looked at once.
  StringId where(PlainId frames) {
    if (frames == PlainValues::kMissing) return 0;
    const auto [at, is_new] = known_.try_emplace(frames, 0);
    if (!is_new) return at->second;
    StringId innermost = 0, node = 0;
    for (const PlainId frame : values_.items(frames)) {
      const std::string_view file = values_.text(values_.find(frame, "filename"));
      const std::string_view function = values_.text(values_.find(frame, "name"));
      if (trace::is_program_file(file)) {
        innermost = out_.strings.intern(trace::frame_text(file, number(frame, "line"), function));
        break;
      }
      if (const std::string_view found = trace::autograd_node(function); node == 0 && !found.empty())
        node = out_.strings.intern("autograd: " + std::string(found));
    }
    if (innermost == 0) innermost = node;
    return known_[frames] = innermost;
  }

  void read_settings(PlainId settings) {
    AllocatorSettings& out = out_.settings;
    // -1: the largest size there is, as a number with a sign.
    if (const auto split = values_.integer(values_.find(settings, "max_split_size")); split && *split >= 0)
      out.max_split_size = *split;
    out.expandable_segments = number(settings, "expandable_segments") != 0;
    const PlainId divisions = values_.find(settings, "roundup_power2_divisions");
    for (std::size_t i = 0; i < out.roundup_divisions.size(); ++i)
      out.roundup_divisions[i] = number(divisions, std::to_string(1U << i));
  }

  void odd() {
    diagnostics_.add(kOddEntry, [&] { return path_; });
  }

  const PlainValues& values_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  Snapshot out_;
  std::unordered_map<PlainId, StringId> known_;
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
  const Result<PlainValues> values = read_pickle(content->bytes(), path);
  if (!values) return values.error();
  const PlainId root = values->root();
  if (values->find(root, "segments") == PlainValues::kMissing ||
      values->find(root, "device_traces") == PlainValues::kMissing)
    return Error{"this is no memory snapshot", path, 0, "its top level has segments and device_traces"};
  return SnapshotReader(*values, path, diagnostics).read();
}

}  // namespace orrery::memory_snapshot

#include "analyze/memory/allocator_replay.h"

#include <algorithm>
#include <map>
#include <set>

namespace orrery::analyze {
namespace {

using memory_snapshot::Action;
using memory_snapshot::BlockState;
using memory_snapshot::Event;
using memory_snapshot::Segment;
using memory_snapshot::Snapshot;

constexpr std::int64_t kGranule = 512;
constexpr std::int64_t kSmallSegment = 2 << 20;
constexpr std::int64_t kLeastRestOfLarge = 1 << 20;  // more than this is split off

std::int64_t rounded(std::int64_t size) { return std::max(kGranule, (size + kGranule - 1) / kGranule * kGranule); }

struct LiveBlock {
  std::int64_t size = 0;
  std::uint32_t allocation = 0;
  bool is_allocated = true;  // false: its free was requested
};

struct SegmentLayout {
  std::int64_t size = 0;
  bool is_small = false;
  std::map<std::int64_t, LiveBlock> blocks;  // used ones, by address; what lies between is free
};

class DeviceReplay {
 public:
  DeviceReplay(const Snapshot& snapshot, std::int64_t device) : snapshot_(snapshot) {
    out_.device = device;
    const auto place = static_cast<std::size_t>(device);
    if (device >= 0 && place < snapshot.events.size()) events_ = &snapshot.events[place];
  }

  DeviceMemory replay() {
    take_end();
    if (events_ == nullptr || events_->empty()) {
      take_end_as_peak();
      return std::move(out_);
    }
    find_beginning();
    note_peak(0);
    for (const Event& event : *events_) ++now_, apply(event);
    out_.history = is_cut_ ? History::cut : History::whole;
    for (const auto& [address, segment] : segments_) {
      for (const auto& [place, block] : segment.blocks)
        out_.allocations[block.allocation].is_alive = block.is_allocated;
    }
    // What was made until the peak and not given back until then.
    for (std::uint32_t a = 0; a < lives_.size(); ++a) {
      if (lives_[a].made <= peak_at_ && lives_[a].ended > peak_at_ && !lives_[a].was_pending) out_.at_peak.push_back(a);
    }
    return std::move(out_);
  }

 private:
  /// When an allocation was made and given back, by the number of the event; 0: before the first.
  struct Life {
    std::size_t made = 0, ended = ~std::size_t{0};
    bool was_pending = false;  // its end was asked for before the history
  };

  void take_end() {
    for (const Segment& segment : snapshot_.segments) {
      if (segment.device != out_.device) continue;
      out_.reserved += segment.size;
      for (const memory_snapshot::Block& block : segment.blocks) {
        if (block.state == BlockState::allocated) out_.allocated += block.size;
        else if (block.state == BlockState::pending_free) out_.pending_free += block.size;
        else out_.free += block.size, out_.largest_free = std::max(out_.largest_free, block.size);
      }
    }
  }

  /// Without a history the end is all that is known.
  void take_end_as_peak() {
    out_.peak_allocated = out_.allocated;
    out_.peak_reserved = out_.reserved;
    for (const Segment& segment : snapshot_.segments) {
      for (const memory_snapshot::Block& block : segment.blocks) {
        if (segment.device != out_.device || block.state != BlockState::allocated) continue;
        out_.peak_requested += block.requested;
        out_.at_peak.push_back(static_cast<std::uint32_t>(out_.allocations.size()));
        out_.allocations.push_back({block.size, block.requested, 0, block.where, true, true});
      }
    }
  }

  // --- what was there when the history began ---

  struct Earlier {
    std::int64_t requested = 0, size = 0;  // size: 0 if the end does not tell
    StringId where = 0;
    bool is_allocated = true;
  };

  void find_beginning() {
    std::set<std::int64_t> made;        // segments that the history makes
    std::map<std::int64_t, bool> open;  // addresses at which the history has a block at this moment
    std::map<std::int64_t, Earlier> earlier;
    for (const Event& event : *events_) {
      switch (event.action) {
        case Action::segment_alloc: made.insert(event.address); break;
        case Action::segment_free:
          if (!made.contains(event.address)) add_segment(event.address, event.size, event.size <= kSmallSegment);
          break;
        case Action::alloc: open[event.address] = true; break;
        case Action::free_requested:
        case Action::free_completed: {
          const auto [at, is_new] = open.try_emplace(event.address, false);
          // The first that is heard of an address is its end: it was made before.
          if (is_new) earlier[event.address] = {event.size, 0, 0, event.action == Action::free_requested};
          break;
        }
        default: break;
      }
    }
    for (const Segment& segment : snapshot_.segments) {
      if (segment.device != out_.device) continue;
      if (!made.contains(segment.address)) add_segment(segment.address, segment.size, segment.is_small);
      for (const memory_snapshot::Block& block : segment.blocks) {
        if (block.state == BlockState::inactive || open.contains(block.address)) continue;
        earlier[block.address] = {block.requested, block.size, block.where, block.state == BlockState::allocated};
      }
    }
    is_cut_ = !earlier.empty();
    for (const auto& [address, block] : earlier) add_earlier(address, block);
    settle_sizes();
  }

  void add_segment(std::int64_t address, std::int64_t size, bool is_small) {
    segments_.try_emplace(address, SegmentLayout{size, is_small, {}});
    reserved_ += size;
    out_.peak_reserved = std::max(out_.peak_reserved, reserved_);
  }

  void add_earlier(std::int64_t address, const Earlier& block) {
    const auto segment = segment_of(address);
    if (segment == segments_.end()) return;
    const auto allocation = static_cast<std::uint32_t>(out_.allocations.size());
    const std::int64_t size = block.size > 0 ? block.size : rounded(block.requested);
    out_.allocations.push_back({size, block.requested, 0, block.where, true, false});
    lives_.push_back({.was_pending = !block.is_allocated});
    segment->second.blocks[address] = {size, allocation, block.is_allocated};
  }

  /// In a large segment no free block is of 1 MiB or less: such a rest belongs to the block before it.
  void settle_sizes() {
    for (auto& [address, segment] : segments_) {
      for (auto at = segment.blocks.begin(); at != segment.blocks.end(); ++at) {
        const auto next = std::next(at);
        const std::int64_t until = next == segment.blocks.end() ? address + segment.size : next->first;
        const std::int64_t rest = until - at->first - at->second.size;
        if (!segment.is_small && rest > 0 && rest <= kLeastRestOfLarge) at->second.size += rest;
        out_.allocations[at->second.allocation].size = at->second.size;
        if (!at->second.is_allocated) continue;
        allocated_ += at->second.size;
        requested_ += out_.allocations[at->second.allocation].requested;
      }
    }
  }

  // --- events ---

  std::map<std::int64_t, SegmentLayout>::iterator segment_of(std::int64_t address) {
    auto at = segments_.upper_bound(address);
    if (at == segments_.begin()) return segments_.end();
    --at;
    return address < at->first + at->second.size ? at : segments_.end();
  }

  void apply(const Event& event) {
    switch (event.action) {
      case Action::segment_alloc:
      case Action::segment_map: add_segment(event.address, event.size, event.size <= kSmallSegment); break;
      case Action::segment_free:
      case Action::segment_unmap:
        if (segments_.erase(event.address) > 0) reserved_ -= event.size;
        break;
      case Action::alloc: allocate(event); break;
      case Action::free_requested: request_free(event); break;
      case Action::free_completed: complete_free(event); break;
      default: break;
    }
  }

  void allocate(const Event& event) {
    const auto allocation = static_cast<std::uint32_t>(out_.allocations.size());
    std::int64_t size = rounded(event.size);
    const auto segment = segment_of(event.address);
    if (segment != segments_.end()) {
      const auto next = segment->second.blocks.upper_bound(event.address);
      const std::int64_t until =
          next == segment->second.blocks.end() ? segment->first + segment->second.size : next->first;
      const std::int64_t rest = until - event.address - size;
      const bool is_split = segment->second.is_small ? rest >= kGranule : rest > kLeastRestOfLarge;
      if (!is_split && rest > 0) size += rest;
      segment->second.blocks[event.address] = {size, allocation, true};
    }
    out_.allocations.push_back({size, event.size, event.time_us, event.where, false, false});
    lives_.push_back({.made = now_});
    allocated_ += size;
    requested_ += event.size;
    note_peak(event.time_us);
  }

  LiveBlock* find_block(std::int64_t address) {
    const auto segment = segment_of(address);
    if (segment == segments_.end()) return nullptr;
    const auto block = segment->second.blocks.find(address);
    return block == segment->second.blocks.end() ? nullptr : &block->second;
  }

  void request_free(const Event& event) {
    LiveBlock* const block = find_block(event.address);
    if (block == nullptr || !block->is_allocated) return;
    block->is_allocated = false;
    lives_[block->allocation].ended = now_;
    allocated_ -= block->size;
    requested_ -= out_.allocations[block->allocation].requested;
  }
  void complete_free(const Event& event) {
    request_free(event);
    const auto segment = segment_of(event.address);
    if (segment != segments_.end()) segment->second.blocks.erase(event.address);
  }

  void note_peak(std::int64_t time_us) {
    out_.peak_requested = std::max(out_.peak_requested, requested_);
    if (allocated_ <= out_.peak_allocated) return;
    out_.peak_allocated = allocated_;
    out_.peak_time_us = time_us;
    peak_at_ = now_;
  }

  const Snapshot& snapshot_;
  const std::vector<Event>* events_ = nullptr;
  DeviceMemory out_;
  std::map<std::int64_t, SegmentLayout> segments_;
  std::int64_t allocated_ = 0, requested_ = 0, reserved_ = 0;
  std::vector<Life> lives_;  // as DeviceMemory::allocations
  std::size_t now_ = 0, peak_at_ = 0;
  bool is_cut_ = false;
};

}  // namespace

std::string_view identifier(History history) {
  return history == History::whole ? "whole" : history == History::cut ? "cut" : "none";
}

std::vector<DeviceMemory> replay_allocator(const Snapshot& snapshot) {
  std::set<std::int64_t> devices;
  for (const Segment& segment : snapshot.segments) devices.insert(segment.device);
  for (std::size_t d = 0; d < snapshot.events.size(); ++d) {
    if (!snapshot.events[d].empty()) devices.insert(static_cast<std::int64_t>(d));
  }
  std::vector<DeviceMemory> all;
  for (const std::int64_t device : devices) all.push_back(DeviceReplay(snapshot, device).replay());
  return all;
}

}  // namespace orrery::analyze

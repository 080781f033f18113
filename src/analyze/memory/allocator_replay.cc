#include "analyze/memory/allocator_replay.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "analyze/memory/block_rules.h"

namespace orrery::analyze {
namespace {

using memory_snapshot::Action;
using memory_snapshot::BlockState;
using memory_snapshot::Event;
using memory_snapshot::Segment;
using memory_snapshot::Snapshot;

struct LiveBlock {
  std::int64_t size = 0;
  std::uint32_t allocation = 0;
  bool is_allocated = true;  // false: its free was requested
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
    // Times come from several threads' clocks: the order is that of the events.
    now_us_ = out_.first_us = std::max<std::int64_t>(0, events_->front().time_us);
    find_beginning();
    note_peak(0);
    for (const Event& event : *events_) {
      now_us_ = std::max(now_us_, event.time_us);
      apply(event);
    }
    out_.last_us = now_us_;
    for (const auto& [address, block] : blocks_) out_.allocations[block.allocation].is_alive = block.is_allocated;
    compare_end();
    take_peak();
    return std::move(out_);
  }

 private:
  void take_end() {
    for (const Segment& segment : snapshot_.segments) {
      if (segment.device == out_.device) out_.at_end.add(segment);
    }
  }

  /// Without a history the end is all that is known.
  void take_end_as_peak() {
    out_.peak_reserved = out_.at_end.reserved;
    for (const Segment& segment : snapshot_.segments) {
      for (const memory_snapshot::Block& block : segment.blocks) {
        if (segment.device != out_.device || block.state != BlockState::allocated) continue;
        if (out_.peak_allocated >= kMostBytes || out_.peak_requested >= kMostBytes) continue;
        out_.peak_allocated += block.size;
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
    std::unordered_set<std::int64_t> made;  // segments that the history makes
    std::unordered_set<std::int64_t> seen;  // addresses of blocks that the history has spoken of
    std::map<std::int64_t, Earlier> earlier;
    std::int64_t grown = 0;  // reserved bytes, over the whole history
    for (const Event& event : *events_) {
      switch (event.action) {
        case Action::segment_alloc: made.insert(event.address); [[fallthrough]];
        case Action::segment_map: grown = plus_bytes(grown, event.size); break;
        case Action::segment_free:
          if (!made.contains(event.address)) segments_.try_emplace(event.address, event.size);
          [[fallthrough]];
        case Action::segment_unmap: grown = std::max(grown - event.size, -kMostBytes); break;
        case Action::alloc: seen.insert(event.address); break;
        case Action::free_requested:
        case Action::free_completed:
          // The first that is heard of an address is its end: it was made before.
          if (seen.insert(event.address).second)
            earlier[event.address] = {event.size, 0, 0, event.action == Action::free_requested};
          break;
        case Action::oom: break;
      }
    }
    for (const Segment& segment : snapshot_.segments) {
      if (segment.device != out_.device) continue;
      if (!segment.is_expandable && !made.contains(segment.address))
        segments_.try_emplace(segment.address, segment.size);
      for (const memory_snapshot::Block& block : segment.blocks) {
        if (block.state == BlockState::inactive || seen.contains(block.address)) continue;
        earlier[block.address] = {block.requested, block.size, block.where, block.state == BlockState::allocated};
      }
    }
    // Expandable segments grow and shrink at both ends and in the middle: their sum is known, not their shape.
    reserved_ = std::max<std::int64_t>(0, out_.at_end.reserved - grown);
    out_.peak_reserved = reserved_;
    out_.history = earlier.empty() ? History::whole : History::cut;
    for (const auto& [address, block] : earlier) add_earlier(address, block);
    settle_sizes(earlier);
  }

  void add_earlier(std::int64_t address, const Earlier& block) {
    const auto allocation = static_cast<std::uint32_t>(out_.allocations.size());
    const std::int64_t size = block.size > 0 ? block.size : rounded_block(snapshot_.settings, block.requested);
    out_.allocations.push_back({size, block.requested, 0, block.where, true, false});
    blocks_[address] = {size, allocation, block.is_allocated};
  }

  /// Only when all of them lie there is it known what follows a block.
  void settle_sizes(const std::map<std::int64_t, Earlier>& earlier) {
    for (auto& [address, block] : blocks_) {
      if (earlier.at(address).size == 0) block.size = size_of_block(address, block.size);
      Allocation& allocation = out_.allocations[block.allocation];
      allocation.size = block.size;
      if (block.is_allocated) begin(block.allocation);
    }
  }

  // --- events ---

  void apply(const Event& event) {
    switch (event.action) {
      case Action::segment_alloc: segments_[event.address] = event.size; [[fallthrough]];
      case Action::segment_map:
        reserved_ = plus_bytes(reserved_, event.size);
        out_.peak_reserved = std::max(out_.peak_reserved, reserved_);
        break;
      case Action::segment_free: segments_.erase(event.address); [[fallthrough]];
      case Action::segment_unmap: reserved_ = std::max<std::int64_t>(0, reserved_ - event.size); break;
      case Action::alloc: allocate(event); break;
      case Action::free_requested: request_free(event.address); break;
      case Action::free_completed: complete_free(event.address); break;
      case Action::oom: break;
    }
  }

  /// A block of this rounded size with the rest behind it that is not split off. In an expandable segment all that is
  /// more is: no segment is known there, and none is asked for.
  std::int64_t size_of_block(std::int64_t address, std::int64_t size) {
    if (size <= kMostOfSmallBlock) return size;
    auto segment = segments_.upper_bound(address);
    if (segment == segments_.begin()) return size;
    --segment;
    std::int64_t until = segment->first + segment->second;
    if (address >= until) return size;
    if (const auto next = blocks_.upper_bound(address); next != blocks_.end()) until = std::min(until, next->first);
    const std::int64_t rest = until - address - size;
    return rest > 0 && !splits_off(snapshot_.settings, size, rest) ? size + rest : size;
  }

  void allocate(const Event& event) {
    complete_free(event.address);  // a free that the history has lost
    if (allocated_ >= kMostBytes || requested_ >= kMostBytes) return;
    const std::int64_t size = size_of_block(event.address, rounded_block(snapshot_.settings, event.size));
    const auto allocation = static_cast<std::uint32_t>(out_.allocations.size());
    blocks_[event.address] = {size, allocation, true};
    out_.allocations.push_back({size, event.size, event.time_us, event.where, false, false});
    begin(allocation);
    note_peak(event.time_us);
  }

  void begin(std::uint32_t allocation) {
    out_.changes.push_back({now_us_, allocation, false});
    allocated_ += out_.allocations[allocation].size;
    requested_ += out_.allocations[allocation].requested;
  }

  void request_free(std::int64_t address) {
    const auto block = blocks_.find(address);
    if (block == blocks_.end() || !block->second.is_allocated) return;
    block->second.is_allocated = false;
    out_.changes.push_back({now_us_, block->second.allocation, true});
    allocated_ -= block->second.size;
    requested_ -= out_.allocations[block->second.allocation].requested;
  }
  void complete_free(std::int64_t address) {
    request_free(address);
    blocks_.erase(address);
  }

  // --- what comes of it ---

  void note_peak(std::int64_t time_us) {
    out_.peak_requested = std::max(out_.peak_requested, requested_);
    if (allocated_ <= out_.peak_allocated) return;
    out_.peak_allocated = allocated_;
    out_.peak_time_us = time_us;
    changes_to_peak_ = out_.changes.size();
  }

  void take_peak() {
    std::vector<bool> is_there(out_.allocations.size(), false);
    for (std::size_t c = 0; c < changes_to_peak_; ++c) is_there[out_.changes[c].allocation] = !out_.changes[c].is_end;
    for (std::uint32_t a = 0; a < is_there.size(); ++a) {
      if (is_there[a]) out_.at_peak.push_back(a);
    }
  }

  /// Other threads allocate while a snapshot is taken, so blocks may be missing here or there; those of both tell.
  void compare_end() {
    for (const Segment& segment : snapshot_.segments) {
      if (segment.device != out_.device) continue;
      for (const memory_snapshot::Block& block : segment.blocks) {
        const auto laid_out = blocks_.find(block.address);
        if (block.state != BlockState::inactive && laid_out != blocks_.end())
          out_.is_estimated |= laid_out->second.size != block.size;
      }
    }
  }

  const Snapshot& snapshot_;
  const std::vector<Event>* events_ = nullptr;
  DeviceMemory out_;
  std::map<std::int64_t, std::int64_t> segments_;  // sizes by address, of those that are not expandable
  std::map<std::int64_t, LiveBlock> blocks_;       // used ones, by address; what lies between is free
  std::int64_t allocated_ = 0, requested_ = 0, reserved_ = 0, now_us_ = 0;
  std::size_t changes_to_peak_ = 0;
};

}  // namespace

std::string_view identifier(History history) {
  return history == History::whole ? "whole" : history == History::cut ? "cut" : "none";
}

void SegmentBytes::add(const Segment& segment) {
  reserved = plus_bytes(reserved, segment.size);
  for (const memory_snapshot::Block& block : segment.blocks) {
    std::int64_t& sum = block.state == BlockState::allocated      ? allocated
                        : block.state == BlockState::pending_free ? pending_free
                                                                  : free;
    sum = plus_bytes(sum, block.size);
    if (block.state == BlockState::inactive) largest_free = std::max(largest_free, block.size);
  }
}

std::vector<DeviceMemory> replay_allocator(const Snapshot& snapshot) {
  std::set<std::int64_t> devices;
  for (const Segment& segment : snapshot.segments) devices.insert(segment.device);
  for (std::size_t d = 0; d < snapshot.events.size(); ++d) {
    if (!snapshot.events[d].empty()) devices.insert(static_cast<std::int64_t>(d));
  }
  std::vector<DeviceMemory> all;
  all.reserve(devices.size());
  for (const std::int64_t device : devices) all.push_back(DeviceReplay(snapshot, device).replay());
  return all;
}

}  // namespace orrery::analyze

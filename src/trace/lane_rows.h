// Rows of one lane, appended many at a time: what RankTrace::append_event does one by one, for readers that are as fast
// as the columns can be written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "trace/trace.h"

namespace orrery::trace {

/// Appends events with phase 'X', a duration and a category (EventRow's defaults) to one lane of `rank`. Until close()
/// the columns are longer than the rank has events, and nobody else may append to them or ask for their size; arguments
/// may be pushed with the numbers that put() returns.
class LaneRows {
 public:
  /// `positions`: whether the rank has the two columns of positions.
  LaneRows(RankTrace& rank, LaneIndex lane, bool positions)
      : rank_(rank), lane_(lane), positions_(positions), first_(rank.event_count()), next_(first_), room_(first_) {}
  LaneRows(const LaneRows&) = delete;
  LaneRows& operator=(const LaneRows&) = delete;
  ~LaneRows() { close(); }

  /// Before each put(). False if a rank cannot have more events.
  [[nodiscard]] bool make_room() { return next_ != room_ || grow(); }

  EventIndex put(TimePs start, TimePs duration, StringId name, std::uint16_t category, SourcePosition position) {
    start_[next_] = start;
    duration_[next_] = duration;
    name_[next_] = name;
    category_[next_] = category;
    if (positions_) {
      ordinal_[next_] = position.ordinal;
      source_offset_[next_] = position.offset;
    }
    return static_cast<EventIndex>(next_++);
  }

  [[nodiscard]] bool empty() const { return next_ == first_; }

  /// The rank has the events that were put, and no room for more.
  void close() {
    // What is the same for all rows is written here, in one go per column.
    std::fill_n(rank_.lane.data() + first_, next_ - first_, lane_);
    std::fill_n(rank_.phase.data() + first_, next_ - first_, EventRow().phase);
    std::fill_n(rank_.flags.data() + first_, next_ - first_, EventRow().flags);
    resize(next_);
    first_ = room_ = next_;
  }

 private:
  // Room is made for as many rows as there are already: no lane of a few events takes the memory of thousands.
  static constexpr std::size_t kLeastStepRows = 64, kMostStepRows = 4096;
  static constexpr std::size_t kMostRows = ~EventIndex{0} - 1;

  bool grow() {
    if (next_ >= kMostRows) return false;
    room_ = std::min(next_ + std::clamp(next_ - first_, kLeastStepRows, kMostStepRows), kMostRows);
    resize(room_);
    start_ = rank_.start.data();
    duration_ = rank_.duration.data();
    name_ = rank_.name.data();
    category_ = rank_.category.data();
    ordinal_ = rank_.ordinal.data();
    source_offset_ = rank_.source_offset.data();
    return true;
  }

  void resize(std::size_t rows) {
    rank_.start.resize_uninitialized(rows);
    rank_.duration.resize_uninitialized(rows);
    rank_.name.resize_uninitialized(rows);
    rank_.lane.resize_uninitialized(rows);
    rank_.category.resize_uninitialized(rows);
    rank_.phase.resize_uninitialized(rows);
    rank_.flags.resize_uninitialized(rows);
    if (!positions_) return;
    rank_.ordinal.resize_uninitialized(rows);
    rank_.source_offset.resize_uninitialized(rows);
  }

  RankTrace& rank_;
  LaneIndex lane_;
  bool positions_;
  std::size_t first_;  // row of this lane
  std::size_t next_;
  std::size_t room_;  // rows that the columns have
  // Where the columns lie, so that a row costs its stores and nothing else.
  TimePs* start_ = nullptr;
  TimePs* duration_ = nullptr;
  StringId* name_ = nullptr;
  std::uint16_t* category_ = nullptr;
  std::uint32_t* ordinal_ = nullptr;
  std::uint64_t* source_offset_ = nullptr;
};

}  // namespace orrery::trace

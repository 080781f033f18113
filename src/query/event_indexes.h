// Orders of all events, made when a question first needs them: to find those of a name, of an argument's value, of a
// step or of a stretch of time without looking at all, and to group them without sorting.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/radix_sort.h"
#include "query/recording.h"

namespace orrery::query {

/// Numbers of events, in some order.
using EventList = std::span<const std::uint32_t>;

/// By a text of theirs, as SQLite compares texts (byte by byte; no text first), then by number. 4 bytes per event.
class TextOrder {
 public:
  /// `key_of`: 0 for no text, else 1 + a place in `texts`.
  TextOrder(std::uint64_t events, std::span<const std::string_view> texts,
            const std::function<std::uint32_t(std::uint64_t)>& key_of);

  [[nodiscard]] EventList all() const { return events_; }
  /// Those of texts[text].
  [[nodiscard]] EventList of(std::size_t text) const { return EventList(events_).subspan(first_[text], count_[text]); }

 private:
  Column<std::uint32_t> events_;
  Column<std::uint32_t> first_, count_;  // per text
};

/// By the value of an argument, or by step, then by number; events without it are not there. 12 bytes per value.
class FieldOrder {
 public:
  FieldOrder(const Recording& recording, const EventNumbers& numbers, trace::Field field);
  FieldOrder(const Recording& recording, const EventNumbers& numbers, Steps& steps);

  [[nodiscard]] EventList of(std::int64_t value) const;

 private:
  /// Keys: radix_key() of values.
  void sort(Column<KeyedIndex> items);

  Column<std::int64_t> values_;  // ascending
  Column<std::uint32_t> events_;
};

/// Events of all ranks, or of some that follow one another, by start, then by number. 4 bytes per event.
class StartOrder {
 public:
  StartOrder(const Recording& recording, const EventNumbers& numbers, std::size_t first_rank, std::size_t end_rank);

  [[nodiscard]] EventList between(TimePs least, TimePs most) const;

 private:
  [[nodiscard]] TimePs start(std::uint32_t id) const;

  const Recording& recording_;
  const EventNumbers& numbers_;
  Column<std::uint32_t> events_;
};

/// By rank, lane and start. 4 bytes per event.
class LaneStarts {
 public:
  LaneStarts(const Recording& recording, const EventNumbers& numbers);

  /// `rank`: a place in Trace::ranks.
  [[nodiscard]] EventList between(std::size_t rank, std::int64_t lane, TimePs least, TimePs most) const;

 private:
  const Recording& recording_;
  const EventNumbers& numbers_;
  Column<std::uint32_t> events_;
  std::vector<std::vector<std::size_t>> first_;  // per rank and lane, one more than there are
};

class EventIndexes {
 public:
  /// Both must outlive it.
  EventIndexes(const Recording& recording, const EventNumbers& numbers) : recording_(recording), numbers_(numbers) {}

  /// Whether events are few enough for their numbers to have 32 bits. If not, none of the others may be called.
  [[nodiscard]] bool can_be_made() const { return numbers_.count() <= ~std::uint32_t{0}; }

  const TextOrder& by_name();      ///< texts: StringIds
  const TextOrder& by_category();  ///< the same
  const TextOrder& by_activity();  ///< texts: Activity
  const FieldOrder& by_field(trace::Field field);
  const FieldOrder& by_step(Steps& steps);
  const StartOrder& by_start();
  const StartOrder& by_start_of(std::size_t rank);
  const LaneStarts& by_lane();

 private:
  const Recording& recording_;
  const EventNumbers& numbers_;
  std::unique_ptr<TextOrder> by_name_, by_category_, by_activity_;
  std::unique_ptr<StartOrder> by_start_;
  std::vector<std::unique_ptr<StartOrder>> by_start_of_rank_;
  std::unique_ptr<LaneStarts> by_lane_;
  std::unique_ptr<FieldOrder> by_step_;
  std::array<std::unique_ptr<FieldOrder>, trace::kFieldCount> by_field_;
};

}  // namespace orrery::query

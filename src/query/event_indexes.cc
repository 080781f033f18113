#include "query/event_indexes.h"

#include <algorithm>
#include <numeric>

#include "trace/nesting.h"

// Texts are ordered by counting sort over the texts that occur, numbers by radix sort with the sign bit flipped, so
// that both are linear in the events. Within equal keys the numbers of events ascend.

namespace orrery::query {
namespace {

constexpr auto kActivities = static_cast<std::size_t>(trace::Activity::mpi_call) + 1;

std::vector<std::string_view> all_texts(const Interner& strings) {
  std::vector<std::string_view> texts;
  for (StringId id = 0; id < strings.size(); ++id) texts.push_back(strings.text(id));
  return texts;
}

}  // namespace

TextOrder::TextOrder(std::uint64_t events, std::span<const std::string_view> texts,
                     const std::function<std::uint32_t(std::uint64_t)>& key_of)
    : events_(events), first_(texts.size(), 0), count_(texts.size(), 0) {
  Column<std::uint32_t> keys(events);
  std::uint32_t without = 0;
  for (std::uint64_t id = 0; id < events; ++id) {
    keys[id] = key_of(id);
    // Key 0: the event has no such text. They come first in the order.
    if (keys[id] == 0) ++without;
    else ++count_[keys[id] - 1];
  }
  std::vector<std::uint32_t> used;
  for (std::uint32_t text = 0; text < texts.size(); ++text) {
    if (count_[text] != 0) used.push_back(text);
  }
  std::sort(used.begin(), used.end(), [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
  // Only texts that occur are sorted; a trace may hold many that no event of this kind has.
  std::uint32_t next = without;
  for (const std::uint32_t text : used) first_[text] = std::exchange(next, next + count_[text]);
  // Numbers ascend within a text: each is put behind those before it.
  std::uint32_t next_without = 0;
  Column<std::uint32_t> places(texts.size());
  for (std::size_t text = 0; text < texts.size(); ++text) places[text] = first_[text];
  for (std::uint64_t id = 0; id < events; ++id) {
    std::uint32_t& place = keys[id] == 0 ? next_without : places[keys[id] - 1];
    events_[place++] = static_cast<std::uint32_t>(id);
  }
}

FieldOrder::FieldOrder(const Recording& recording, const EventNumbers& numbers, trace::Field field) {
  Column<KeyedIndex> items;
  for (std::size_t r = 0; r < recording.trace.ranks.size(); ++r) {
    const trace::SparseColumn& column = recording.trace.ranks[r].field(field);
    for (std::size_t i = 0; i < column.event.size(); ++i)
      items.push_back({radix_key(column.value[i]), static_cast<std::uint32_t>(numbers.first(r) + column.event[i])});
  }
  sort(std::move(items));
}

FieldOrder::FieldOrder(const Recording& recording, const EventNumbers& numbers, Steps& steps) {
  Column<KeyedIndex> items;
  for (std::size_t r = 0; r < recording.trace.ranks.size(); ++r) {
    for (trace::EventIndex e = 0; e < recording.trace.ranks[r].event_count(); ++e) {
      if (const std::int32_t step = steps.step_of(r, e); step != kNoStep)
        items.push_back({radix_key(std::int64_t{step}), static_cast<std::uint32_t>(numbers.first(r) + e)});
    }
  }
  sort(std::move(items));
}

void FieldOrder::sort(Column<KeyedIndex> items) {
  radix_sort(items);
  for (const KeyedIndex& item : items) {
    // The sign bit was flipped so that unsigned keys sort like signed numbers.
    values_.push_back(static_cast<std::int64_t>(item.key ^ (std::uint64_t{1} << 63)));
    events_.push_back(item.index);
  }
}

EventList FieldOrder::of(std::int64_t value) const {
  const auto [first, last] = std::equal_range(values_.begin(), values_.end(), value);
  return EventList(events_).subspan(static_cast<std::size_t>(first - values_.begin()),
                                    static_cast<std::size_t>(last - first));
}

StartOrder::StartOrder(const Recording& recording, const EventNumbers& numbers, std::size_t first_rank,
                       std::size_t end_rank)
    : recording_(recording), numbers_(numbers) {
  Column<KeyedIndex> items;
  for (std::size_t r = first_rank; r < end_rank; ++r) {
    const trace::RankTrace& rank = recording.trace.ranks[r];
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e)
      items.push_back({radix_key(rank.start[e]), static_cast<std::uint32_t>(numbers.first(r) + e)});
  }
  radix_sort(items);
  for (const KeyedIndex& item : items) events_.push_back(item.index);
}

TimePs StartOrder::start(std::uint32_t id) const {
  const EventNumbers::Place place = numbers_.place(id);
  return recording_.trace.ranks[place.rank].start[place.event];
}

EventList StartOrder::between(TimePs least, TimePs most) const {
  const auto* const first = std::lower_bound(events_.begin(), events_.end(), least,
                                             [&](std::uint32_t id, TimePs time) { return start(id) < time; });
  const auto* const last =
      // From `first` on: nothing before it can start later.
      std::upper_bound(first, events_.end(), most, [&](TimePs time, std::uint32_t id) { return time < start(id); });
  return {first, static_cast<std::size_t>(last - first)};
}

LaneStarts::LaneStarts(const Recording& recording, const EventNumbers& numbers)
    : recording_(recording), numbers_(numbers) {
  for (std::size_t r = 0; r < recording.trace.ranks.size(); ++r) {
    const trace::RankTrace& rank = recording.trace.ranks[r];
    const trace::LaneOrder order(rank);
    std::vector<std::size_t>& first = first_.emplace_back();
    for (trace::LaneIndex lane = 0; lane < rank.lanes.size(); ++lane) {
      first.push_back(events_.size());
      for (const trace::EventIndex event : order.of(lane))
        events_.push_back(static_cast<std::uint32_t>(numbers.first(r) + event));
    }
    // One more than there are lanes, so that a lane's end is where the next one begins.
    first.push_back(events_.size());
  }
}

EventList LaneStarts::between(std::size_t rank, std::int64_t lane, TimePs least, TimePs most) const {
  const std::vector<std::size_t>& first = first_[rank];
  if (lane < 0 || static_cast<std::size_t>(lane) + 1 >= first.size()) return {};
  const auto place = static_cast<std::size_t>(lane);
  const EventList events = EventList(events_).subspan(first[place], first[place + 1] - first[place]);
  const Column<TimePs>& start = recording_.trace.ranks[rank].start;
  const std::uint64_t first_number = numbers_.first(rank);
  const auto from = std::partition_point(events.begin(), events.end(),
                                         [&](std::uint32_t id) { return start[id - first_number] < least; });
  const auto to =
      std::partition_point(from, events.end(), [&](std::uint32_t id) { return start[id - first_number] <= most; });
  return {from, to};
}

const TextOrder& EventIndexes::by_name() {
  if (by_name_ == nullptr) {
    by_name_ =
        std::make_unique<TextOrder>(numbers_.count(), all_texts(recording_.trace.strings), [&](std::uint64_t id) {
          const EventNumbers::Place place = numbers_.place(id);
          return recording_.trace.ranks[place.rank].name[place.event] + 1;
        });
  }
  return *by_name_;
}

const TextOrder& EventIndexes::by_category() {
  if (by_category_ == nullptr) {
    by_category_ =
        std::make_unique<TextOrder>(numbers_.count(), all_texts(recording_.trace.strings), [&](std::uint64_t id) {
          const EventNumbers::Place place = numbers_.place(id);
          const trace::RankTrace& rank = recording_.trace.ranks[place.rank];
          return (rank.flags[place.event] & trace::kHasCategory) == 0
                     ? 0
                     : rank.categories[rank.category[place.event]].text + 1;
        });
  }
  return *by_category_;
}

const TextOrder& EventIndexes::by_activity() {
  if (by_activity_ == nullptr) {
    std::vector<std::string_view> texts;
    for (std::size_t a = 0; a < kActivities; ++a) texts.emplace_back(to_string(static_cast<trace::Activity>(a)));
    by_activity_ = std::make_unique<TextOrder>(numbers_.count(), texts, [&](std::uint64_t id) {
      const EventNumbers::Place place = numbers_.place(id);
      return static_cast<std::uint32_t>(recording_.trace.ranks[place.rank].activity(place.event)) + 1;
    });
  }
  return *by_activity_;
}

const FieldOrder& EventIndexes::by_field(trace::Field field) {
  std::unique_ptr<FieldOrder>& order = by_field_[place_of(field)];
  if (order == nullptr) order = std::make_unique<FieldOrder>(recording_, numbers_, field);
  return *order;
}

const StartOrder& EventIndexes::by_start() {
  if (by_start_ == nullptr)
    by_start_ = std::make_unique<StartOrder>(recording_, numbers_, 0, recording_.trace.ranks.size());
  return *by_start_;
}

const StartOrder& EventIndexes::by_start_of(std::size_t rank) {
  // By rank on demand: a question about one rank should not sort all of them.
  by_start_of_rank_.resize(recording_.trace.ranks.size());
  std::unique_ptr<StartOrder>& order = by_start_of_rank_[rank];
  if (order == nullptr) order = std::make_unique<StartOrder>(recording_, numbers_, rank, rank + 1);
  return *order;
}

const FieldOrder& EventIndexes::by_step(Steps& steps) {
  if (by_step_ == nullptr) by_step_ = std::make_unique<FieldOrder>(recording_, numbers_, steps);
  return *by_step_;
}

const LaneStarts& EventIndexes::by_lane() {
  if (by_lane_ == nullptr) by_lane_ = std::make_unique<LaneStarts>(recording_, numbers_);
  return *by_lane_;
}

}  // namespace orrery::query

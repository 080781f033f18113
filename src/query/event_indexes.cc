#include "query/event_indexes.h"

#include <algorithm>
#include <numeric>

#include "base/radix_sort.h"

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
    if (keys[id] == 0) ++without;
    else ++count_[keys[id] - 1];
  }
  std::vector<std::uint32_t> used;
  for (std::uint32_t text = 0; text < texts.size(); ++text) {
    if (count_[text] != 0) used.push_back(text);
  }
  std::sort(used.begin(), used.end(), [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
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
  radix_sort(items);
  for (const KeyedIndex& item : items) {
    values_.push_back(static_cast<std::int64_t>(item.key ^ (std::uint64_t{1} << 63)));
    events_.push_back(item.index);
  }
}

EventList FieldOrder::of(std::int64_t value) const {
  const auto [first, last] = std::equal_range(values_.begin(), values_.end(), value);
  return EventList(events_).subspan(static_cast<std::size_t>(first - values_.begin()), static_cast<std::size_t>(last - first));
}

StartOrder::StartOrder(const Recording& recording, const EventNumbers& numbers) : recording_(recording), numbers_(numbers) {
  Column<KeyedIndex> items;
  for (std::size_t r = 0; r < recording.trace.ranks.size(); ++r) {
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
  const auto* const first =
      std::lower_bound(events_.begin(), events_.end(), least, [&](std::uint32_t id, TimePs time) { return start(id) < time; });
  const auto* const last = std::upper_bound(first, events_.end(), most, [&](TimePs time, std::uint32_t id) { return time < start(id); });
  return {first, static_cast<std::size_t>(last - first)};
}

const TextOrder& EventIndexes::by_name() {
  if (by_name_ == nullptr) {
    by_name_ = std::make_unique<TextOrder>(numbers_.count(), all_texts(recording_.trace.strings), [&](std::uint64_t id) {
      const EventNumbers::Place place = numbers_.place(id);
      return recording_.trace.ranks[place.rank].name[place.event] + 1;
    });
  }
  return *by_name_;
}

const TextOrder& EventIndexes::by_category() {
  if (by_category_ == nullptr) {
    by_category_ = std::make_unique<TextOrder>(numbers_.count(), all_texts(recording_.trace.strings), [&](std::uint64_t id) {
      const EventNumbers::Place place = numbers_.place(id);
      const trace::RankTrace& rank = recording_.trace.ranks[place.rank];
      return (rank.flags[place.event] & trace::kHasCategory) == 0 ? 0 : rank.categories[rank.category[place.event]].text + 1;
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
  if (by_start_ == nullptr) by_start_ = std::make_unique<StartOrder>(recording_, numbers_);
  return *by_start_;
}

}  // namespace orrery::query

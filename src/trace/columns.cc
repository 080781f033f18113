// What goes over all columns of a rank: how much memory they take, and appending one rank to another.
#include "trace/columns.h"

#include <algorithm>
#include <map>

#include "base/int128.h"

namespace orrery::trace {
namespace {

// Text ids of one interner -> ids of another, adding what is missing in order of number, that is of first appearance.
Column<StringId> translate(const Interner& from, Interner& into) {
  Column<StringId> ids(from.size());
  for (StringId id = 0; id < from.size(); ++id) ids[id] = into.intern(from.text(id));
  return ids;
}

LaneKey translate(LaneKey key, const Column<StringId>& ids) { return {key.number, ids[key.text]}; }

bool has_times(const RankTrace& rank) {
  return rank.event_count() != 0 || rank.flows.size() != 0 || rank.counters.size() != 0;
}

// Numbers of the categories of `later` in `into`, with the new ones appended; nullopt, with nothing changed, when they
// are too many.
std::optional<std::vector<std::uint16_t>> merge_categories(RankTrace& into, Interner& into_strings,
                                                           const RankTrace& later, const Interner& later_strings) {
  std::map<std::string_view, std::size_t> known;
  for (const Category& category : into.categories) known.emplace(into_strings.text(category.text), known.size());
  std::vector<std::uint16_t> numbers;
  std::vector<Category> added;
  for (const Category& category : later.categories) {
    const auto [at, is_new] = known.emplace(later_strings.text(category.text), known.size());
    if (is_new) added.push_back({category.text, category.activity});
    if (known.size() > kMaxCategories) return std::nullopt;
    numbers.push_back(static_cast<std::uint16_t>(at->second));
  }
  for (const Category& category : added)
    into.categories.push_back({into_strings.intern(later_strings.text(category.text)), category.activity});
  return numbers;
}

void renumber_texts(RankTrace& rank, const Column<StringId>& ids) {
  for (StringId& name : rank.name) name = ids[name];
  for (StringId& name : rank.counters.name) name = ids[name];
  for (StringId& unit : rank.counters.unit) unit = ids[unit];
  for (Lane& lane : rank.lanes)
    lane = {translate(lane.process, ids), translate(lane.thread, ids), ids[lane.process_name], ids[lane.thread_name],
            lane.clock};
  for (Category& category : rank.categories) category.text = ids[category.text];
  ArgumentTable::for_each(rank.arguments,
                          [&](std::string_view, std::string_view, ValueType type, SparseColumn& column) {
                            if (type != ValueType::text) return;
                            for (std::int64_t& value : column.value) value = ids[static_cast<StringId>(value)];
                          });
}

}  // namespace

bool move_to_epoch(RankTrace& rank, std::int64_t epoch_unix_ns) {
  const Int128 delta = (static_cast<Int128>(rank.epoch_unix_ns) - epoch_unix_ns) * kPsPerNs;
  if (delta != 0) {
    Int128 low = kMaxMomentPs, high = -kMaxMomentPs;
    const auto cover = [&](TimePs time) { low = std::min<Int128>(low, time), high = std::max<Int128>(high, time); };
    for (const TimePs time : rank.start) cover(time);
    for (EventIndex e = 0; e < rank.event_count(); ++e) cover(rank.end(e));
    for (const TimePs time : rank.flows.time) cover(time);
    for (const TimePs time : rank.counters.time) cover(time);
    if (has_times(rank) && (low + delta < -kMaxMomentPs || high + delta > kMaxMomentPs)) return false;
    for (TimePs& time : rank.start) time += static_cast<TimePs>(delta);
    for (TimePs& time : rank.flows.time) time += static_cast<TimePs>(delta);
    for (TimePs& time : rank.counters.time) time += static_cast<TimePs>(delta);
  }
  rank.epoch_unix_ns = epoch_unix_ns;
  return true;
}

// What the values take, not what was set aside for them: the same whoever read the file, in one go or in parts.
std::size_t RankTrace::memory_bytes() const {
  std::size_t bytes = 0;
  const auto add = [&](const auto& values) { bytes += values.size() * sizeof(*values.data()); };
  for_each_event_column([&](const auto& column) { add(this->*column.values); });
  for_each_flow_column([&](const auto& column) { add(flows.*column.values); });
  for_each_counter_column([&](const auto& column) { add(counters.*column.values); });
  ArgumentTable::for_each(arguments, [&](std::string_view, std::string_view, ValueType, const SparseColumn& column) {
    add(column.event);
    add(column.value);
  });
  return bytes;
}

bool append(RankTrace& into, Interner& into_strings, RankTrace&& later, const Interner& later_strings) {
  const std::int64_t epoch_unix_ns = has_times(into) ? into.epoch_unix_ns : later.epoch_unix_ns;
  const std::int64_t later_epoch_unix_ns = later.epoch_unix_ns;
  if (!move_to_epoch(later, epoch_unix_ns)) return false;
  // Texts first: their numbers follow the order of appearance, and categories are only some of them.
  const Column<StringId> texts = translate(later_strings, into_strings);
  const auto categories = merge_categories(into, into_strings, later, later_strings);
  if (!categories) {
    move_to_epoch(later, later_epoch_unix_ns);
    return false;
  }
  into.epoch_unix_ns = epoch_unix_ns;
  renumber_texts(later, texts);

  std::map<std::pair<LaneKey, LaneKey>, LaneIndex> known_lanes;
  for (const Lane& lane : into.lanes)
    known_lanes.emplace(std::pair(lane.process, lane.thread), static_cast<LaneIndex>(known_lanes.size()));
  std::vector<LaneIndex> lanes;
  for (const Lane& lane : later.lanes) {
    const auto [at, is_new] =
        known_lanes.emplace(std::pair(lane.process, lane.thread), static_cast<LaneIndex>(into.lanes.size()));
    if (is_new) into.lanes.push_back(lane);
    Lane& merged = into.lanes[at->second];
    if (lane.process_name != 0) merged.process_name = lane.process_name;
    if (merged.thread_name == 0) merged.thread_name = lane.thread_name;
    lanes.push_back(at->second);
  }
  for (LaneIndex& lane : later.lane) lane = lanes[lane];
  for (LaneIndex& lane : later.flows.lane) lane = lanes[lane];
  for (std::uint16_t& category : later.category) category = (*categories)[category];
  for (std::uint16_t& category : later.flows.category) category = (*categories)[category];

  const auto base_event = static_cast<EventIndex>(into.event_count());
  const auto base_ordinal = static_cast<std::uint32_t>(into.source.entries);
  for (std::uint32_t& ordinal : later.ordinal) ordinal += base_ordinal;
  // Each column is released as soon as it has been appended, so that two copies of the trace never exist at once.
  const auto move_column = [](auto& target, auto& source) {
    target.append(source);
    source = {};
  };
  for_each_event_column([&](const auto& column) { move_column(into.*column.values, later.*column.values); });
  for_each_flow_column([&](const auto& column) { move_column(into.flows.*column.values, later.flows.*column.values); });
  for_each_counter_column(
      [&](const auto& column) { move_column(into.counters.*column.values, later.counters.*column.values); });
  into.arguments.append(std::move(later.arguments), base_event);
  into.source.entries += later.source.entries;
  into.source.fractional_timestamps |= later.source.fractional_timestamps;
  into.source.has_other_arguments |= later.source.has_other_arguments;
  into.source.events_without_timestamp += later.source.events_without_timestamp;
  return true;
}

bool add_rank(Trace& trace, RankTrace&& rank, const Interner& strings) {
  if (std::none_of(trace.ranks.begin(), trace.ranks.end(), has_times)) {
    trace.epoch_unix_ns = rank.epoch_unix_ns;
    for (RankTrace& timeless : trace.ranks) timeless.epoch_unix_ns = rank.epoch_unix_ns;
  }
  if (!move_to_epoch(rank, trace.epoch_unix_ns)) return false;
  renumber_texts(rank, translate(strings, trace.strings));
  const auto at = std::upper_bound(trace.ranks.begin(), trace.ranks.end(), rank,
                                   [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  trace.ranks.insert(at, std::move(rank));
  return true;
}

}  // namespace orrery::trace

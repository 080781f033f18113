#include "trace/select_events.h"

#include <cassert>

#include "trace/columns.h"

namespace orrery::trace {
namespace {

template <typename T>
Column<T> copy_of(const Column<T>& values) {
  Column<T> copy;
  copy.append({values.data(), values.size()});
  return copy;
}

SparseColumn copy_of(const SparseColumn& values) { return {copy_of(values.event), copy_of(values.value)}; }

}  // namespace

RankTrace copy_of(const RankTrace& rank) {
  RankTrace copy;
  copy.source = rank.source;
  copy.rank = rank.rank;
  copy.epoch_unix_ns = rank.epoch_unix_ns;
  copy.era_ns = rank.era_ns;
  copy.lanes = rank.lanes;
  copy.categories = rank.categories;
  for_each_event_column([&](const auto& column) { copy.*column.values = copy_of(rank.*column.values); });
  for_each_flow_column([&](const auto& column) { copy.flows.*column.values = copy_of(rank.flows.*column.values); });
  for_each_counter_column(
      [&](const auto& column) { copy.counters.*column.values = copy_of(rank.counters.*column.values); });
  for (const FieldInfo& info : kFields) copy.field(info.field) = copy_of(rank.field(info.field));
  for (const NamedArgument& argument : rank.arguments.named())
    copy.arguments.named(argument.name, argument.type) = copy_of(argument.values);
  return copy;
}

Trace copy_of(const Trace& trace) {
  Trace copy;
  copy.epoch_unix_ns = trace.epoch_unix_ns;
  copy.rules = trace.rules;
  // In the order of their numbers, so that each gets its own again.
  for (StringId text = 0; text < trace.strings.size(); ++text) copy.strings.intern(trace.strings.text(text));
  for (const RankTrace& rank : trace.ranks) copy.ranks.push_back(copy_of(rank));
  return copy;
}

namespace {

template <typename T>
void select(const Column<T>& from, std::span<const EventIndex> kept, Column<T>& to) {
  if (from.empty()) return;  // positions are there for all events or for none
  to.reserve(kept.size());
  for (const EventIndex event : kept) to.push_back(from[event]);
}

void select(const SparseColumn& from, std::span<const std::uint8_t> is_kept, const Column<EventIndex>& number,
            SparseColumn& to) {
  for (std::size_t i = 0; i < from.event.size(); ++i) {
    if (is_kept[from.event[i]] != 0) to.push(number[from.event[i]], from.value[i]);
  }
  // Whoever keeps a part of a trace does so for the memory.
  to.event.shrink_to_fit();
  to.value.shrink_to_fit();
}

}  // namespace

RankTrace select_events(const RankTrace& rank, std::span<const std::uint8_t> is_kept) {
  assert(is_kept.size() == rank.event_count());
  Column<EventIndex> kept, number(rank.event_count());
  for (EventIndex event = 0; event < rank.event_count(); ++event) {
    number[event] = static_cast<EventIndex>(kept.size());
    if (is_kept[event] != 0) kept.push_back(event);
  }
  RankTrace part;
  part.source = rank.source;
  part.rank = rank.rank;
  part.epoch_unix_ns = rank.epoch_unix_ns;
  part.era_ns = rank.era_ns;
  part.lanes = rank.lanes;
  part.categories = rank.categories;
  for_each_event_column([&](const auto& column) { select(rank.*column.values, kept, part.*column.values); });
  for (const FieldInfo& info : kFields) select(rank.field(info.field), is_kept, number, part.field(info.field));
  for (const NamedArgument& argument : rank.arguments.named())
    select(argument.values, is_kept, number, part.arguments.named(argument.name, argument.type));
  return part;
}

}  // namespace orrery::trace

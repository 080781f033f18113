// The columns of a RankTrace by name and type: whoever saves, compares, counts or queries all of them goes through here
// and keeps no list.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace orrery::trace {

/// What the numbers of a column stand for.
enum class ColumnType : std::uint8_t {
  time,       ///< TimePs since the epoch
  duration,   ///< TimePs
  text,       ///< StringId
  lane,       ///< place in RankTrace::lanes
  category,   ///< place in RankTrace::categories
  character,  ///< one letter
  flags,      ///< EventFlag
  number,
};

/// A column of `Table`: RankTrace for those of events, Flows for those of arrows, Counters for those of values.
template <typename Table, typename T>
struct ColumnOf {
  std::string_view name;
  ColumnType type;
  Column<T> Table::*values;
};

/// Calls f(ColumnOf<RankTrace, T>) for each column that has a value per event. `ordinal` and `source_offset` are empty
/// where a reader was asked not to keep positions. Arguments: ArgumentTable::for_each.
template <typename F>
void for_each_event_column(const F& f) {
  f(ColumnOf<RankTrace, TimePs>{"start", ColumnType::time, &RankTrace::start});
  f(ColumnOf<RankTrace, TimePs>{"duration", ColumnType::duration, &RankTrace::duration});
  f(ColumnOf<RankTrace, StringId>{"name", ColumnType::text, &RankTrace::name});
  f(ColumnOf<RankTrace, LaneIndex>{"lane", ColumnType::lane, &RankTrace::lane});
  f(ColumnOf<RankTrace, std::uint16_t>{"category", ColumnType::category, &RankTrace::category});
  f(ColumnOf<RankTrace, char>{"phase", ColumnType::character, &RankTrace::phase});
  f(ColumnOf<RankTrace, std::uint8_t>{"flags", ColumnType::flags, &RankTrace::flags});
  f(ColumnOf<RankTrace, std::uint32_t>{"ordinal", ColumnType::number, &RankTrace::ordinal});
  f(ColumnOf<RankTrace, std::uint64_t>{"source_offset", ColumnType::number, &RankTrace::source_offset});
}

/// The same for the points of arrows.
template <typename F>
void for_each_flow_column(const F& f) {
  f(ColumnOf<Flows, std::int64_t>{"id", ColumnType::number, &Flows::id});
  f(ColumnOf<Flows, TimePs>{"time", ColumnType::time, &Flows::time});
  f(ColumnOf<Flows, LaneIndex>{"lane", ColumnType::lane, &Flows::lane});
  f(ColumnOf<Flows, std::uint16_t>{"category", ColumnType::category, &Flows::category});
  f(ColumnOf<Flows, char>{"phase", ColumnType::character, &Flows::phase});
}

/// The same for the values of counters.
template <typename F>
void for_each_counter_column(const F& f) {
  f(ColumnOf<Counters, std::int64_t>{"device", ColumnType::number, &Counters::device});
  f(ColumnOf<Counters, StringId>{"name", ColumnType::text, &Counters::name});
  f(ColumnOf<Counters, StringId>{"unit", ColumnType::text, &Counters::unit});
  f(ColumnOf<Counters, TimePs>{"time", ColumnType::time, &Counters::time});
  f(ColumnOf<Counters, double>{"value", ColumnType::number, &Counters::value});
}

/// Gives back the memory of events, arrows and counters, and leaves what is known about the rank. For those who go on
/// with the file instead: the events may take more memory than all the rest.
inline void forget_events(RankTrace& rank) {
  for_each_event_column([&](const auto& column) { rank.*column.values = {}; });
  rank.arguments = {};
  rank.flows = {};
  rank.counters = {};
}

/// Makes times count from another epoch. Returns false, with the rank unchanged, if some would come to lie beyond
/// kMaxMomentPs.
bool move_to_epoch(RankTrace& rank, std::int64_t epoch_unix_ns);

}  // namespace orrery::trace

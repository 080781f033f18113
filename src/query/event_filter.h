// Which events a question can be about: what of its WHERE is decided here, on the columns, before SQLite sees a row.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/recording.h"
#include "query/rows.h"
#include "trace/argument.h"

namespace orrery::query {

// The columns of the table `events`.

/// Their places. Behind them follows one per trace::Field, in its order.
enum EventColumn : std::uint8_t {
  kId,
  kRank,
  kOrdinal,
  kLane,
  kName,
  kCategory,
  kActivity,
  kStart,
  kDuration,
  kEnd,
  kDepth,
  kParent,
  kStep,
  kCritical,
  kSlack,
  kTrack,
  kFirstField,
};

inline constexpr std::size_t kEventColumns = kFirstField + trace::kFieldCount;

std::vector<TableColumn> event_columns();

/// The argument that a column shows.
inline std::optional<trace::Field> field_of(std::size_t column) {
  return column < kFirstField ? std::nullopt : std::optional(static_cast<trace::Field>(column - kFirstField));
}

/// How events are come by. The letter is the first of a plan.
enum class Access : char {
  scan = '-',         ///< all of them, or all of a rank, by number
  id = 'i',           ///< one
  field = 'f',        ///< of a value of an argument, by number
  name = 'n',         ///< of a name, by number
  step = 'p',         ///< of a step, by number
  lane = 'l',         ///< of a lane of a rank, and of a stretch of time there, by start
  start = 's',        ///< of a stretch of time, by start
  by_name = 'N',      ///< all, by name
  by_category = 'C',  ///< all, by category
  by_activity = 'A',  ///< all, by activity
};

/// column OP value, OP one of = < > l (<=) g (>=).
struct Condition {
  std::size_t column;
  char operation;
};

/// A way to the events, and the conditions that are decided on the way; as a text between the planning and the doing.
struct EventPlan {
  Access access = Access::scan;
  std::vector<Condition> conditions;

  [[nodiscard]] std::string text() const;
  static EventPlan from_text(const char* text);
};

/// The condition that a constraint of a plan stands for, if it can be decided here.
std::optional<Condition> condition_of(sqlite3_index_info& info, int constraint);

/// What the conditions leave. Never less than SQLite would leave: where its rules for comparing values of different
/// types are at work, all is left.
struct EventFilter {
  bool none = false;  ///< nothing can match
  std::optional<std::int64_t> id, rank, lane, step;
  std::optional<StringId> name, category;
  std::optional<trace::Activity> activity;
  TimePs least_start = std::numeric_limits<TimePs>::min(), most_start = std::numeric_limits<TimePs>::max();
  std::vector<std::pair<trace::Field, std::int64_t>> fields;

  EventFilter() = default;
  /// `values`: of the conditions, in their order.
  EventFilter(const trace::Trace& trace, std::span<const Condition> conditions, std::span<sqlite3_value*> values);

  /// All but `id`, `rank` and `step`, which say where to look.
  [[nodiscard]] bool matches(const trace::RankTrace& rank, trace::EventIndex event) const;

 private:
  void add(const trace::Trace& trace, const Condition& condition, sqlite3_value* value);
  void add_start(char operation, sqlite3_value* value);
  std::optional<std::int64_t>& place_of_integer(std::size_t column);
  /// Both must hold; two that differ leave nothing.
  template <typename T>
  void require(std::optional<T>& known, T wanted) {
    none |= known.has_value() && *known != wanted;
    known = wanted;
  }
};

}  // namespace orrery::query

#include "query/event_filter.h"

#include <algorithm>
#include <cmath>
#include <string_view>

// Conditions that the columns can decide are taken from SQLite's plan as pairs of a column and an operation, and the
// values come with each question. SQLite checks all rows again, so a filter may let too much through, but never too
// little.

namespace orrery::query {

std::vector<TableColumn> event_columns() {
  std::vector<TableColumn> columns = {
      {"id", "INTEGER"},     {"rank", "INTEGER"},     {"ordinal", "INTEGER"},  {"lane", "INTEGER"},
      {"name", "TEXT"},      {"category", "TEXT"},    {"activity", "TEXT"},    {"start_ps", "INTEGER"},
      {"dur_ps", "INTEGER"}, {"end_ps", "INTEGER"},   {"depth", "INTEGER"},    {"parent", "INTEGER"},
      {"step", "INTEGER"},   {"critical", "INTEGER"}, {"slack_ps", "INTEGER"}, {"track", "INTEGER"}};
  for (const trace::FieldInfo& field : trace::kFields) {
    // `step` is taken: there it is the step that an event belongs to, here what the event says of itself.
    const std::string_view name = field.field == trace::Field::step ? field.written : field.name;
    columns.push_back({std::string(name), field.type == trace::ValueType::text ? "TEXT" : "INTEGER"});
  }
  return columns;
}

namespace {

// Columns as printable characters: a plan is a C string.
constexpr char kFirstColumn = '0';
static_assert(kFirstColumn + kEventColumns < 127);

/// A value that a column of integers is compared with: one of them, none of them, or a matter for SQLite.
struct WantedInteger {
  std::optional<std::int64_t> number = {};
  bool none = false;
};

WantedInteger wanted_integer(sqlite3_value* value) {
  switch (::sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER: return {.number = ::sqlite3_value_int64(value)};
    case SQLITE_NULL: return {.none = true};
    case SQLITE_FLOAT: {
      const double real = ::sqlite3_value_double(value);
      const bool is_whole = real == std::floor(real) && std::abs(real) < 0x1p53;
      if (is_whole) return {.number = static_cast<std::int64_t>(real)};
      // Beyond 2^53 equal reals are many integers.
      return {.none = std::abs(real) < 0x1p53};
    }
    default: return {};
  }
}

/// A value that a column of texts is compared with. A number is not looked up: '05' may equal 5.
struct WantedText {
  std::optional<std::string_view> text = {};
  bool none = false;
};

WantedText wanted_text(sqlite3_value* value) {
  switch (::sqlite3_value_type(value)) {
    case SQLITE_TEXT: {
      const auto* const text = reinterpret_cast<const char*>(::sqlite3_value_text(value));
      return {.text = std::string_view(text, static_cast<std::size_t>(::sqlite3_value_bytes(value)))};
    }
    case SQLITE_NULL: return {.none = true};
    default: return {};
  }
}

std::optional<trace::Activity> activity_called(std::string_view name) {
  for (std::size_t a = 0; a <= static_cast<std::size_t>(trace::Activity::mpi_call); ++a) {
    if (to_string(static_cast<trace::Activity>(a)) == name) return static_cast<trace::Activity>(a);
  }
  return std::nullopt;
}

}  // namespace

std::string EventPlan::text() const {
  std::string text(1, static_cast<char>(access));
  for (const Condition& condition : conditions)
    text += {static_cast<char>(kFirstColumn + condition.column), condition.operation};
  return text;
}

EventPlan EventPlan::from_text(const char* text) {
  EventPlan plan{static_cast<Access>(*text++), {}};
  for (; *text != '\0'; text += 2)
    plan.conditions.push_back({static_cast<std::size_t>(text[0] - kFirstColumn), text[1]});
  return plan;
}

std::optional<Condition> condition_of(sqlite3_index_info& info, int number) {
  const auto& constraint = info.aConstraint[number];
  if (constraint.usable == 0 || constraint.iColumn < 0) return std::nullopt;
  // A COLLATE of the question's own makes more texts equal than those that are the same.
  if (::sqlite3_stricmp(::sqlite3_vtab_collation(&info, number), "BINARY") != 0) return std::nullopt;
  const auto column = static_cast<std::size_t>(constraint.iColumn);
  const bool is_start = column == kStart;
  switch (constraint.op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: {
      const bool is_decided = is_start || column == kId || column == kRank || column == kLane || column == kName ||
                              column == kCategory || column == kActivity || column == kStep || column == kTrack ||
                              field_of(column);
      return is_decided ? std::optional(Condition{column, '='}) : std::nullopt;
    }
    case SQLITE_INDEX_CONSTRAINT_LT: return is_start ? std::optional(Condition{column, '<'}) : std::nullopt;
    case SQLITE_INDEX_CONSTRAINT_GT: return is_start ? std::optional(Condition{column, '>'}) : std::nullopt;
    case SQLITE_INDEX_CONSTRAINT_LE: return is_start ? std::optional(Condition{column, 'l'}) : std::nullopt;
    case SQLITE_INDEX_CONSTRAINT_GE: return is_start ? std::optional(Condition{column, 'g'}) : std::nullopt;
    default: return std::nullopt;
  }
}

EventFilter::EventFilter(const trace::Trace& trace, std::span<const Condition> conditions,
                         std::span<sqlite3_value*> values) {
  for (std::size_t i = 0; i < conditions.size(); ++i) add(trace, conditions[i], values[i]);
}

void EventFilter::add(const trace::Trace& trace, const Condition& condition, sqlite3_value* value) {
  if (condition.column == kStart) return add_start(condition.operation, value);
  const std::optional<trace::Field> field = field_of(condition.column);
  const bool is_text = condition.column == kName || condition.column == kCategory || condition.column == kActivity ||
                       (field && holds_text(*field));
  if (!is_text) {
    const WantedInteger wanted = wanted_integer(value);
    none |= wanted.none;
    if (!wanted.number) return;
    if (field) fields.emplace_back(*field, *wanted.number);
    else if (condition.column == kTrack)
      require(rank, rank_of_track(*wanted.number)), require(lane, lane_of_track(*wanted.number));
    else require(place_of_integer(condition.column), *wanted.number);
    return;
  }
  const WantedText wanted = wanted_text(value);
  none |= wanted.none;
  if (!wanted.text) return;
  if (condition.column == kActivity) {
    const std::optional<trace::Activity> known = activity_called(*wanted.text);
    none |= !known;
    if (known) require(activity, *known);
    return;
  }
  const StringId text = trace.strings.find(*wanted.text);
  none |= text == Interner::kMissing;
  if (none) return;
  if (field) fields.emplace_back(*field, text);
  else require(condition.column == kName ? name : category, text);
}

std::optional<std::int64_t>& EventFilter::place_of_integer(std::size_t column) {
  switch (column) {
    case kId: return id;
    case kRank: return rank;
    case kStep: return step;
    default: return lane;
  }
}

void EventFilter::add_start(char operation, sqlite3_value* value) {
  const int type = ::sqlite3_value_numeric_type(value);
  none |= type == SQLITE_NULL;
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
  // A real is rounded to the side that leaves more; one beyond all moments bounds nothing.
  constexpr double kBeyond = 0x1p62;
  if (type == SQLITE_FLOAT && !(std::abs(::sqlite3_value_double(value)) < kBeyond)) return;
  const TimePs below = type == SQLITE_INTEGER ? ::sqlite3_value_int64(value)
                                              : static_cast<TimePs>(std::floor(::sqlite3_value_double(value)));
  const TimePs above = type == SQLITE_INTEGER ? below : static_cast<TimePs>(std::ceil(::sqlite3_value_double(value)));
  // Whether the bound itself matches is SQLite's to say: it looks at what is left again.
  if (operation != '<' && operation != 'l') least_start = std::max(least_start, below);
  if (operation != '>' && operation != 'g') most_start = std::min(most_start, above);
}

bool EventFilter::matches(const trace::RankTrace& trace, trace::EventIndex event) const {
  if (name && trace.name[event] != *name) return false;
  if (trace.start[event] < least_start || trace.start[event] > most_start) return false;
  if (lane && trace.lane[event] != *lane) return false;
  const trace::Category& of = trace.categories[trace.category[event]];
  if (activity && of.activity != *activity) return false;
  if (category && (of.text != *category || (trace.flags[event] & trace::kHasCategory) == 0)) return false;
  for (const auto& [field, wanted] : fields) {
    if (trace.field(field).find(event) != wanted) return false;
  }
  return true;
}

}  // namespace orrery::query

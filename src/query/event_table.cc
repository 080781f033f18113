#include "query/event_table.h"

#include <algorithm>

#include "query/event_filter.h"

// SQLite asks how it may get at the rows: the conditions of a question are matched with indexes that are made when
// first used, and a cost is told by which SQLite orders its loops. A cursor then goes over a list of numbers or a range
// of them and filters the rest itself, which is cheaper than handing rows to SQLite.

namespace orrery::query {
namespace {

constexpr DiagnosticKind kNoPath{"Q102", Severity::warning,
                                 "no critical path can be found: critical and slack_ps of events are not known",
                                 "ask for the table path to see what would help"};

/// The access that gives all events in the order of a column, if it is one of these.
std::optional<Access> access_in_order_of(std::size_t column) {
  switch (column) {
    case kName: return Access::by_name;
    case kCategory: return Access::by_category;
    case kActivity: return Access::by_activity;
    case kStart: return Access::start;
    default: return std::nullopt;
  }
}

/// Whether the access gives events in the order of a column. Ranks ascend, so that by number is by rank.
bool is_in_order_of(Access access, std::size_t column) {
  const bool is_by_number = access == Access::scan || access == Access::id || access == Access::field ||
                            access == Access::name || access == Access::step;
  return (is_by_number && (column == kId || column == kRank)) || access_in_order_of(column) == access;
}

std::optional<std::size_t> ascending_column(const sqlite3_index_info& info) {
  if (info.nOrderBy != 1 || info.aOrderBy[0].desc != 0 || info.aOrderBy[0].iColumn < 0) return std::nullopt;
  return static_cast<std::size_t>(info.aOrderBy[0].iColumn);
}

bool has(const EventPlan& plan, std::size_t column, char operation) {
  return std::any_of(plan.conditions.begin(), plan.conditions.end(),
                     [&](const Condition& c) { return c.column == column && c.operation == operation; });
}

bool bounds_start(const EventPlan& plan) {
  return std::any_of(plan.conditions.begin(), plan.conditions.end(),
                     [](const Condition& c) { return c.column == kStart; });
}

Access choose_access(const EventPlan& plan, std::optional<std::size_t> order) {
  // From the fewest rows to the most.
  if (has(plan, kId, '=')) return Access::id;
  if (std::any_of(plan.conditions.begin(), plan.conditions.end(),
                  [](const Condition& c) { return field_of(c.column).has_value(); }))
    return Access::field;
  const bool has_lane = has(plan, kTrack, '=') || (has(plan, kRank, '=') && has(plan, kLane, '='));
  // What lies under an annotation, a few events of a lane, is asked for once per annotation: those of a name would be
  // looked through as often.
  if (has_lane && bounds_start(plan)) return Access::lane;
  if (has(plan, kName, '=')) return Access::name;
  if (has(plan, kStep, '=')) return Access::step;
  if (has_lane) return Access::lane;
  if (bounds_start(plan)) return Access::start;
  return order ? access_in_order_of(*order).value_or(Access::scan) : Access::scan;
}

}  // namespace

/// Goes over a list of numbers, or over a range of them.
class EventCursor : public Cursor {
 public:
  explicit EventCursor(const EventTable& table) : table_(table) {}

  Status start(const char* text, std::span<sqlite3_value*> values) override {
    const EventPlan plan = EventPlan::from_text(text);
    filter_ = EventFilter(table_.recording_.trace, plan.conditions, values);
    choose_list(plan.access);
    find_match();
    return {};
  }
  [[nodiscard]] bool at_end() const override { return next_ >= end_; }
  void next() override {
    ++next_;
    find_match();
  }
  [[nodiscard]] Result<Value> column(std::size_t column) override { return table_.value(id(), place_, column); }
  [[nodiscard]] std::int64_t row_id() const override { return static_cast<std::int64_t>(id()); }

 private:
  [[nodiscard]] std::uint64_t id() const { return is_list_ ? list_[next_] : next_; }

  void use_list(EventList list) {
    is_list_ = true;
    list_ = list;
    next_ = 0;
    end_ = list.size();
    // Numbers of a rank lie together where a list is by number; elsewhere find_match looks.
  }

  void use_range(std::uint64_t first, std::uint64_t end) {
    is_list_ = false;
    next_ = first;
    end_ = end;
  }

  void choose_list(Access access) {
    EventIndexes& indexes = table_.indexes_;
    const EventNumbers& numbers = table_.numbers_;
    if (filter_.none) return use_range(0, 0);
    switch (access) {
      case Access::id:
        if (filter_.id) return use_range_of_id(*filter_.id);
        break;
      case Access::field:
        if (!filter_.fields.empty())
          return use_numbers(indexes.by_field(filter_.fields.front().first).of(filter_.fields.front().second));
        break;
      case Access::name:
        if (filter_.name) return use_numbers(indexes.by_name().of(*filter_.name));
        break;
      case Access::step:
        if (filter_.step) return use_numbers(indexes.by_step(table_.steps_).of(*filter_.step));
        break;
      case Access::lane:
        if (!filter_.rank || !filter_.lane) break;
        if (const std::optional<std::size_t> rank = wanted_rank())
          return use_list(indexes.by_lane().between(*rank, *filter_.lane, filter_.least_start, filter_.most_start));
        return use_range(0, 0);
      case Access::start:
        if (!filter_.rank) return use_list(indexes.by_start().between(filter_.least_start, filter_.most_start));
        if (const std::optional<std::size_t> rank = wanted_rank())
          return use_list(indexes.by_start_of(*rank).between(filter_.least_start, filter_.most_start));
        return use_range(0, 0);
      case Access::by_name: return use_list(indexes.by_name().all());
      case Access::by_category: return use_list(indexes.by_category().all());
      case Access::by_activity: return use_list(indexes.by_activity().all());
      case Access::scan: break;
    }
    // Also where the value turned out to be none that can be looked up.
    use_range(0, numbers.count());
    if (!filter_.rank) return;
    const std::optional<std::size_t> rank = wanted_rank();
    if (rank) use_range(numbers.first(*rank), numbers.first(*rank + 1));
    else use_range(0, 0);
  }

  /// Place in Trace::ranks of the rank that is asked for.
  [[nodiscard]] std::optional<std::size_t> wanted_rank() const {
    const auto& ranks = table_.recording_.trace.ranks;
    const auto rank =
        std::find_if(ranks.begin(), ranks.end(), [&](const trace::RankTrace& r) { return r.rank == *filter_.rank; });
    return rank == ranks.end() ? std::nullopt : std::optional(static_cast<std::size_t>(rank - ranks.begin()));
  }

  /// A list by number: those of one rank lie together in it.
  void use_numbers(EventList list) {
    if (!filter_.rank) return use_list(list);
    const std::optional<std::size_t> rank = wanted_rank();
    if (!rank) return use_range(0, 0);
    const auto* const begin = list.data();
    const auto* const first = std::lower_bound(begin, begin + list.size(), table_.numbers_.first(*rank));
    const auto* const end = std::lower_bound(first, begin + list.size(), table_.numbers_.first(*rank + 1));
    use_list({first, end});
  }

  void use_range_of_id(std::int64_t wanted) {
    const bool is_event = wanted >= 0 && static_cast<std::uint64_t>(wanted) < table_.numbers_.count();
    const auto first = static_cast<std::uint64_t>(is_event ? wanted : 0);
    use_range(first, is_event ? first + 1 : first);
  }

  /// From here on, the first that matches.
  void find_match() {
    const auto& ranks = table_.recording_.trace.ranks;
    for (; next_ < end_; ++next_) {
      const std::uint64_t event = id();
      // Neighbours are of one rank, nearly always.
      const bool is_same_rank =
          has_place_ && event >= table_.numbers_.first(place_.rank) && event < table_.numbers_.first(place_.rank + 1);
      if (is_same_rank) place_.event = static_cast<trace::EventIndex>(event - table_.numbers_.first(place_.rank));
      else place_ = table_.numbers_.place(event), has_place_ = true;
      const trace::RankTrace& rank = ranks[place_.rank];
      if (filter_.rank && rank.rank != *filter_.rank) continue;
      if (filter_.matches(rank, place_.event)) return;
    }
  }

  const EventTable& table_;
  EventFilter filter_;
  bool is_list_ = false;
  EventList list_;
  std::uint64_t next_ = 0, end_ = 0;  // in the list, or numbers themselves
  EventNumbers::Place place_;
  bool has_place_ = false;
};

EventTable::EventTable(const Recording& recording, const EventNumbers& numbers, Steps& steps, Analyses& analyses)
    : columns_(event_columns()),
      recording_(recording),
      numbers_(numbers),
      steps_(steps),
      analyses_(analyses),
      indexes_(recording, numbers),
      nestings_(recording.trace.ranks.size()) {}

std::unique_ptr<Cursor> EventTable::open() const { return std::make_unique<EventCursor>(*this); }

std::string EventTable::plan(sqlite3_index_info& info) const {
  EventPlan plan;
  for (int i = 0; i < info.nConstraint; ++i) {
    const std::optional<Condition> condition = condition_of(info, i);
    if (!condition) continue;
    plan.conditions.push_back(*condition);
    info.aConstraintUsage[i].argvIndex = static_cast<int>(plan.conditions.size());
  }
  const std::optional<std::size_t> order = ascending_column(info);
  plan.access = choose_access(plan, order);
  // Without room for indexes only ids can be looked up.
  if (!indexes_.can_be_made() && plan.access != Access::id) plan.access = Access::scan;
  info.orderByConsumed = order && is_in_order_of(plan.access, *order) ? 1 : 0;
  estimate(plan, info);
  return plan.text();
}

void EventTable::estimate(const EventPlan& plan, sqlite3_index_info& info) const {
  const auto events = static_cast<double>(std::max<std::uint64_t>(numbers_.count(), 1));
  const auto& ranks = recording_.trace.ranks;
  const double ranks_wanted = has(plan, kRank, '=') ? static_cast<double>(std::max<std::size_t>(ranks.size(), 1)) : 1;
  double lanes = 0;
  for (const trace::RankTrace& rank : ranks) lanes += static_cast<double>(rank.lanes.size());
  lanes = std::max(lanes, 1.0);
  double rows = events, looked_at = events;
  switch (plan.access) {
    case Access::id:
      rows = looked_at = 1;
      info.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
      break;
    // Typical shares of a trace: SQLite needs the right order of magnitude, no more.
    case Access::field: rows = looked_at = 4; break;
    case Access::name: rows = looked_at = std::max(1.0, events / 100 / ranks_wanted); break;
    case Access::step: rows = looked_at = std::max(1.0, events / 20 / ranks_wanted); break;
    case Access::lane:
    case Access::start: {
      const bool from = has(plan, kStart, '>') || has(plan, kStart, 'g'),
                 to = has(plan, kStart, '<') || has(plan, kStart, 'l');
      const double part = has(plan, kStart, '=') ? events : from && to ? 50 : from || to ? 3 : 1;
      rows = looked_at = std::max(1.0, events / part / (plan.access == Access::lane ? lanes : ranks_wanted));
      break;
    }
    case Access::scan: rows = looked_at = events / ranks_wanted; break;
    // All rows, in another order than they lie in memory.
    default: looked_at *= 1.1;
  }
  for (const std::size_t column : {std::size_t{kLane}, std::size_t{kCategory}, std::size_t{kActivity}}) {
    if (has(plan, column, '=') && !(column == kLane && plan.access == Access::lane)) rows = std::max(1.0, rows / 4);
  }
  // A row that is passed over costs a tenth of one that SQLite sees.
  info.estimatedCost = looked_at * 0.1 + rows;
  info.estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, rows));
}

const trace::Nesting& EventTable::nesting(std::size_t rank) const {
  if (!nestings_[rank]) nestings_[rank] = trace::nest_events(recording_.trace.ranks[rank]);
  return *nestings_[rank];
}

Value EventTable::path_value(std::uint64_t id, std::size_t column) const {
  const Result<const CriticalPath*> path = analyses_.path();
  if (!path) {
    // SELECT * asks for these, too, and the other columns are as good without them.
    if (recording_.remarks.count(kNoPath) == 0) recording_.remarks.add(kNoPath, [&] { return path.error().message; });
    return {};
  }
  if (column == kCritical) return std::int64_t{(*path)->is_critical(id)};
  const TimePs slack = (*path)->event_slack(id);
  return slack == graph::kUnlimited ? Value() : Value(slack);
}

Value EventTable::value(std::uint64_t id, EventNumbers::Place place, std::size_t column) const {
  const trace::RankTrace& rank = recording_.trace.ranks[place.rank];
  const Interner& strings = recording_.trace.strings;
  const trace::EventIndex event = place.event;
  switch (column) {
    case kId: return static_cast<std::int64_t>(id);
    case kRank: return rank.rank;
    case kOrdinal: return rank.ordinal.empty() ? Value() : Value(std::int64_t{rank.ordinal[event]});
    case kLane: return std::int64_t{rank.lane[event]};
    case kName: return strings.text(rank.name[event]);
    case kCategory:
      return (rank.flags[event] & trace::kHasCategory) == 0
                 ? Value()
                 : Value(strings.text(rank.categories[rank.category[event]].text));
    case kActivity: return std::string_view(to_string(rank.activity(event)));
    case kStart: return rank.start[event];
    case kDuration: return rank.duration[event];
    case kEnd: return rank.end(event);
    case kDepth: return std::int64_t{nesting(place.rank).depth[event]};
    case kParent: {
      const trace::EventIndex parent = nesting(place.rank).parent[event];
      return parent == trace::kNoParent ? Value() : Value(numbers_.id(place.rank, parent));
    }
    case kStep: {
      const std::int32_t step = steps_.step_of(place.rank, event);
      return step == kNoStep ? Value() : Value(std::int64_t{step});
    }
    case kTrack: return track_of(rank.rank, rank.lane[event]);
    case kCritical:
    case kSlack: return path_value(id, column);
    default: break;
  }
  const trace::Field field = *field_of(column);
  const std::optional<std::int64_t> value = rank.field(field).find(event);
  if (!value) return {};
  return holds_text(field) ? Value(strings.text(static_cast<StringId>(*value))) : Value(*value);
}

}  // namespace orrery::query

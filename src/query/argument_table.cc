#include "query/argument_table.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/json/json_unescape.h"
#include "base/numbers.h"
#include "formats/kineto/other_arguments.h"

// The columns of all ranks, one after the other; what the reader did not keep is read from the file again, if asked
// for. A question about one event or one key is answered by a binary search per column, everything else by going
// through all.

namespace orrery::query {

Result<ArgumentColumns> ArgumentColumns::make(const Recording& recording) {
  ArgumentColumns made;
  for (std::uint32_t place = 0; place < recording.trace.ranks.size(); ++place) {
    const trace::RankTrace& rank = recording.trace.ranks[place];
    trace::ArgumentTable::for_each(rank.arguments, [&](std::string_view, std::string_view written,
                                                       trace::ValueType type, const trace::SparseColumn& column) {
      if (!column.event.empty())
        made.columns_.push_back({place, written, std::span(column.event.begin(), column.event.size()),
                                 std::span(column.value.begin(), column.value.size()), type == trace::ValueType::text});
    });
    if (!recording.all_arguments) continue;
    if (const Status read = made.read_file(rank, place); !read) return read.error();
  }
  return made;
}

Value ArgumentColumns::value_of(std::string_view json) {
  if (json.size() >= 2 && json.front() == '"')
    return texts_.text(texts_.intern(unescape_json(json.substr(1, json.size() - 2))));
  if (json == "null") return {};
  if (const auto integer = parse_number<std::int64_t>(json)) return *integer;
  if (const auto real = parse_number<double>(json)) return *real;
  // Lists and objects as they are written: SQLite's own functions (json_extract) look into them.
  return texts_.text(texts_.intern(json));
}

Status ArgumentColumns::read_file(const trace::RankTrace& rank, std::uint32_t place) {
  std::map<std::string, FileColumn*, std::less<>> by_key;
  const Status visited =
      kineto::visit_other_arguments(rank, [&](trace::EventIndex event, std::string_view key, std::string_view json) {
        auto column = by_key.find(key);
        if (column == by_key.end())
          column = by_key.emplace(key, &file_columns_.emplace_back(FileColumn{std::string(key), {}, {}})).first;
        FileColumn& values = *column->second;
        // A key that an event has twice counts once, as it was written first.
        if (!values.events.empty() && values.events.back() == event) return;
        values.events.push_back(event);
        values.values.push_back(value_of(json));
      });
  if (!visited) return visited;
  for (const auto& [key, column] : by_key) {
    if (!std::is_sorted(column->events.begin(), column->events.end())) {
      // Positions that do not ascend with events: no reader of ours makes such, but a search in them would be wrong.
      return Error{"the events of the file are not in the order in which they were read", rank.source.path};
    }
    columns_.push_back({place, column->key, column->events, {}, false, column->values});
  }
  return {};
}

namespace {

constexpr int kEventOfArgument = 0, kKeyOfArgument = 1;

}  // namespace

class ArgumentCursor : public Cursor {
 public:
  explicit ArgumentCursor(const ArgumentTable& table) : table_(table) {}

  Status start(const char* plan, std::span<sqlite3_value*> values) override {
    const Result<const ArgumentColumns*> arguments = table_.arguments();
    if (!arguments) return arguments.error();
    ranges_.clear();
    range_ = row_ = 0;
    std::optional<EventNumbers::Place> event;
    std::optional<std::string_view> key;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int type = ::sqlite3_value_type(values[i]);
      if (type == SQLITE_NULL) return {};
      // Values of other types may be equal by rules that are SQLite's: it looks through all then.
      if (plan[i] == 'e' && type == SQLITE_INTEGER) {
        const std::int64_t id = ::sqlite3_value_int64(values[i]);
        if (id < 0 || static_cast<std::uint64_t>(id) >= table_.numbers_.count()) return {};
        event = table_.numbers_.place(static_cast<std::uint64_t>(id));
      } else if (plan[i] == 'k' && type == SQLITE_TEXT) {
        const auto* const text = reinterpret_cast<const char*>(::sqlite3_value_text(values[i]));
        key = std::string_view(text, static_cast<std::size_t>(::sqlite3_value_bytes(values[i])));
      }
    }
    for (const ArgumentColumn& column : (*arguments)->all()) {
      if ((event && column.rank != event->rank) || (key && column.key != *key)) continue;
      std::size_t first = 0, end = column.events.size();
      if (event) {
        const auto found = std::equal_range(column.events.begin(), column.events.end(), event->event);
        first = static_cast<std::size_t>(found.first - column.events.begin());
        end = static_cast<std::size_t>(found.second - column.events.begin());
      }
      if (first < end) ranges_.push_back({&column, first, end});
    }
    if (!ranges_.empty()) row_ = ranges_.front().first;
    return {};
  }

  [[nodiscard]] bool at_end() const override { return range_ == ranges_.size(); }
  void next() override {
    if (++row_ < ranges_[range_].end) return;
    if (++range_ < ranges_.size()) row_ = ranges_[range_].first;
  }
  [[nodiscard]] Result<Value> column(std::size_t number) override {
    const ArgumentColumn& column = *ranges_[range_].column;
    if (number == kEventOfArgument) return Value(table_.numbers_.id(column.rank, column.events[row_]));
    if (number == kKeyOfArgument) return Value(column.key);
    return column.value(table_.recording_.trace.strings, row_);
  }
  [[nodiscard]] std::int64_t row_id() const override { return static_cast<std::int64_t>(range_ << 32 | row_); }

 private:
  struct Range {
    const ArgumentColumn* column;
    std::size_t first, end;
  };
  const ArgumentTable& table_;
  std::vector<Range> ranges_;
  std::size_t range_ = 0, row_ = 0;
};

std::unique_ptr<Cursor> ArgumentTable::open() const { return std::make_unique<ArgumentCursor>(*this); }

Result<const ArgumentColumns*> ArgumentTable::arguments() const {
  if (!arguments_) {
    Result<ArgumentColumns> made = ArgumentColumns::make(recording_);
    if (!made) return made.error();
    arguments_.emplace(std::move(*made));
  }
  return static_cast<const ArgumentColumns*>(&*arguments_);
}

std::string ArgumentTable::plan(sqlite3_index_info& info) const {
  std::string plan;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.iColumn != kEventOfArgument && constraint.iColumn != kKeyOfArgument) continue;
    if (::sqlite3_stricmp(::sqlite3_vtab_collation(&info, i), "BINARY") != 0) continue;
    plan += constraint.iColumn == kEventOfArgument ? 'e' : 'k';
    info.aConstraintUsage[i].argvIndex = static_cast<int>(plan.size());
  }
  // Guesses: an event has some four arguments, and a key is one of about ten.
  const double all = 4.0 * static_cast<double>(numbers_.count() + 1);
  double rows = all;
  if (plan.find('k') != std::string::npos) rows /= 10;
  if (plan.find('e') != std::string::npos) rows = 8;
  info.estimatedCost = rows;
  info.estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
  return plan;
}

}  // namespace orrery::query

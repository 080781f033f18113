#include "query/argument_table.h"

#include <algorithm>
#include <cstring>

namespace orrery::query {
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
  const double all = 4.0 * static_cast<double>(numbers_.count() + 1);
  double rows = all;
  if (plan.find('k') != std::string::npos) rows /= 10;
  if (plan.find('e') != std::string::npos) rows = 8;
  info.estimatedCost = rows;
  info.estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
  return plan;
}

}  // namespace orrery::query

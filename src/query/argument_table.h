// The table `args`: event, key, value.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/recording.h"
#include "query/rows.h"
#include "query/virtual_table.h"

namespace orrery::query {

// All arguments of all ranks, each a column of the events that have it: those that were read with the trace, and, if
// asked for, those that are only in the files.

/// An argument of some events of a rank. Events ascend.
struct ArgumentColumn {
  std::uint32_t rank = 0;  ///< place in Trace::ranks
  std::string_view key;    ///< as PyTorch's profiler writes it, or else the format that has it
  std::span<const trace::EventIndex> events;
  std::span<const std::int64_t> numbers;  ///< of those that were read with the trace
  bool holds_text = false;                ///< `numbers` are StringIds
  std::span<const Value> values = {};     ///< of those from the file, instead of `numbers`

  [[nodiscard]] Value value(const Interner& strings, std::size_t i) const {
    if (!values.empty()) return values[i];
    return holds_text ? Value(strings.text(static_cast<StringId>(numbers[i]))) : Value(numbers[i]);
  }
};

class ArgumentColumns {
 public:
  /// Reads the files again if the recording says so. By rank; known arguments first.
  static Result<ArgumentColumns> make(const Recording& recording);
  ArgumentColumns(ArgumentColumns&&) = default;

  [[nodiscard]] std::span<const ArgumentColumn> all() const { return columns_; }

 private:
  /// What the file says of an argument; texts in texts_.
  struct FileColumn {
    std::string key;
    std::vector<trace::EventIndex> events;
    std::vector<Value> values;
  };
  ArgumentColumns() = default;
  Status read_file(const trace::RankTrace& rank, std::uint32_t place);
  [[nodiscard]] Value value_of(std::string_view json);

  std::vector<ArgumentColumn> columns_;
  std::deque<FileColumn> file_columns_;  // they are referred to
  Interner texts_;
};

class ArgumentTable : public VirtualTable {
 public:
  /// Both must outlive it.
  ArgumentTable(const Recording& recording, const EventNumbers& numbers) : recording_(recording), numbers_(numbers) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const TableColumn> columns() const override { return columns_; }
  [[nodiscard]] std::string plan(sqlite3_index_info& info) const override;
  [[nodiscard]] std::unique_ptr<Cursor> open() const override;

 private:
  friend class ArgumentCursor;
  [[nodiscard]] Result<const ArgumentColumns*> arguments() const;

  std::string name_ = "args";
  std::vector<TableColumn> columns_ = {{"event", "INTEGER"}, {"key", "TEXT"}, {"value", ""}};
  const Recording& recording_;
  const EventNumbers& numbers_;
  mutable std::optional<ArgumentColumns> arguments_;  // made when asked for
};

}  // namespace orrery::query

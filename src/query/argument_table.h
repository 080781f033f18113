// The table `args`: event, key, value.
#pragma once

#include <memory>
#include <optional>

#include "query/argument_columns.h"
#include "query/recording.h"
#include "query/virtual_table.h"

namespace orrery::query {

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

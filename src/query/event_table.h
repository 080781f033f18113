// The table `events`: the columns of the trace where they are, with what is derived from them made when a question
// first asks for it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/event_indexes.h"
#include "query/path_tables.h"
#include "query/recording.h"
#include "query/virtual_table.h"
#include "trace/nesting.h"

namespace orrery::query {

class EventTable : public VirtualTable {
 public:
  /// All must outlive it.
  EventTable(const Recording& recording, const EventNumbers& numbers, Steps& steps, Analyses& analyses);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::span<const TableColumn> columns() const override { return columns_; }
  [[nodiscard]] std::string plan(sqlite3_index_info& info) const override;
  [[nodiscard]] std::unique_ptr<Cursor> open() const override;

 private:
  friend class EventCursor;
  [[nodiscard]] Value value(std::uint64_t id, EventNumbers::Place place, std::size_t column) const;
  [[nodiscard]] Value path_value(std::uint64_t id, std::size_t column) const;
  [[nodiscard]] const trace::Nesting& nesting(std::size_t rank) const;
  void estimate(const struct EventPlan& plan, sqlite3_index_info& info) const;

  std::string name_ = "events";
  std::vector<TableColumn> columns_;
  const Recording& recording_;
  const EventNumbers& numbers_;
  Steps& steps_;
  Analyses& analyses_;
  // Made when asked for, which changes no answer.
  mutable EventIndexes indexes_;
  mutable std::vector<std::optional<trace::Nesting>> nestings_;  // by rank
};

}  // namespace orrery::query

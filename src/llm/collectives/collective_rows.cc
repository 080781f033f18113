#include "llm/collectives/collective_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/numbers.h"
#include "base/suggest.h"
#include "machine/device/peak_rates.h"

namespace orrery::llm {
namespace {

Result<machine::NodeCollective> op_of(const CsvTable& table, std::size_t row) {
  const std::string_view name = table.cell(row, "op");
  const auto& names = machine::kNodeCollectiveNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<machine::NodeCollective>(found - names.begin());
  const std::string_view meant = nearest_word(name, names);
  return table.error_at(
      row, "op", fmt::format("'{}' is no collective", name),
      meant.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", meant));
}

Result<double> element_bytes_of(const CsvTable& table, std::size_t row) {
  const std::string_view name = table.cell(row, "dtype");
  const auto& names = machine::kDataTypeNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return machine::bytes_of(static_cast<machine::DataType>(found - names.begin()));
  if (name.empty()) return CollectiveRow{}.element_bytes;
  return table.error_at(row, "dtype", fmt::format("'{}' is no number format", name),
                        fmt::format("one of {}, or nothing for 16 bits", fmt::join(names, ", ")));
}

/// None: the cell is empty, or there is no such column.
Result<std::optional<std::int64_t>> count_of(const CsvTable& table, std::size_t row, std::string_view column,
                                             std::int64_t least) {
  const std::string_view text = table.cell(row, column);
  if (text.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> number = parse_number<std::int64_t>(text);
  if (number && *number >= least) return number;
  return table.error_at(
      row, column,
      number ? fmt::format("{} is less than {}", *number, least) : fmt::format("'{}' is no whole number", text),
      fmt::format("a whole number of at least {}", least));
}

Result<CollectiveRow> row_of(const CsvTable& table, std::size_t row) {
  const auto op = op_of(table, row);
  if (!op) return op.error();
  const auto element_bytes = element_bytes_of(table, row);
  if (!element_bytes) return element_bytes.error();
  const auto ranks = count_of(table, row, "ranks", 2), bytes = count_of(table, row, "bytes", 0),
             nodes = count_of(table, row, "nodes", 1);
  for (const auto* count : {&ranks, &bytes, &nodes}) {
    if (!*count) return count->error();
  }
  if (*ranks && **ranks % nodes->value_or(1) != 0) {
    return table.error_at(row, "nodes", fmt::format("{} nodes cannot have {} ranks alike", **nodes, **ranks),
                          "as many ranks on each node");
  }
  const auto measured = parse_number<double>(table.cell(row, "us"));
  const auto text = [&](std::string_view column) { return std::string(table.cell(row, column)); };
  return CollectiveRow{.id = table.find("id") ? text("id") : fmt::format("{}", row + 1),
                       .device = text("device"),
                       .library = text("library"),
                       .version = text("version"),
                       .op = *op,
                       .ranks = *ranks,
                       .bytes = *bytes,
                       .nodes = nodes->value_or(1),
                       .element_bytes = *element_bytes,
                       // Nothing takes no time: 0 is a cell that nobody filled in.
                       .measured_us = measured && *measured > 0 ? measured : std::nullopt,
                       .place = row};
}

}  // namespace

bool is_collective_table(const CsvTable& table) { return table.find("op") && table.find("ranks"); }

Result<std::vector<CollectiveRow>> collective_rows(const CsvTable& table) {
  for (const std::string_view column : {"op", "ranks", "bytes"}) {
    if (!table.find(column))
      return Error{fmt::format("line 1: there is no column '{}'", column), table.file, Error::kNoOffset,
                   "docs/LLM.md lists the columns"};
  }
  std::vector<CollectiveRow> rows;
  rows.reserve(table.rows.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    auto one = row_of(table, row);
    if (!one) return one.error();
    rows.push_back(std::move(*one));
  }
  return rows;
}

}  // namespace orrery::llm

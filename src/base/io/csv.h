// Tables of comma-separated values (RFC 4180) with a header line: what spreadsheets and measuring scripts write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery {

/// Small tables: every cell is a text of its own.
struct CsvTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`
  std::vector<std::size_t> lines;              ///< where each row begins, from 1: cells in quotes may span lines

  /// The place of the column called `name`.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  /// The text of a cell; empty where there is no such column.
  [[nodiscard]] std::string_view cell(std::size_t row, std::string_view column) const;
  /// An Error about one cell: "line 7, column 'seq': message".
  [[nodiscard]] Error error_at(std::size_t row, std::string_view column, std::string_view message,
                               std::string hint = {}) const;
};

/// Empty lines are skipped; a byte-order mark and CRLF are understood. Refused, with the line: a row with more or fewer
/// cells than the header, a quote that is not closed or has text behind it, a column name twice, no header.
Result<CsvTable> parse_csv(std::string_view text, const std::string& file);
Result<CsvTable> read_csv(const std::string& path);

}  // namespace orrery

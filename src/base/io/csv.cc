#include "base/io/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/file_content.h"
#include "base/limits.h"

namespace orrery {
namespace {

/// Takes cells from the front of a text.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {
    // The mark that spreadsheets put in front of UTF-8.
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] Error error(std::string_view message, std::string hint = {}) const {
    return Error{fmt::format("line {}: {}", line_, message), file_, Error::kNoOffset, std::move(hint)};
  }

  /// One record, probably of so many cells; empty for an empty line.
  Result<std::vector<std::string>> record(std::size_t expected) {
    std::vector<std::string> cells;
    if (end_of_line()) return cells;
    cells.reserve(expected);
    while (true) {
      // A comma may end the text: what follows it is an empty cell.
      auto cell = !done() && text_[at_] == '"' ? quoted() : Result<std::string>(plain());
      if (!cell) return cell.error();
      cells.push_back(std::move(*cell));
      if (done() || end_of_line()) return cells;
      ++at_;  // the comma
    }
  }

 private:
  bool end_of_line() {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    // A CR alone ends no line; it belongs to a cell.
    if (at_ < text_.size() && text_[at_] == '\n') return ++at_, ++line_, true;
    at_ = start;
    return false;
  }
  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string_view cell = text_.substr(at_, end - at_);
    at_ = end;
    // The CR belongs to the end of the line, which is looked for from here on.
    if (cell.ends_with('\r') && (end == text_.size() || text_[end] == '\n')) cell.remove_suffix(1);
    return std::string(cell);
  }
  Result<std::string> quoted() {
    std::string cell;
    const std::size_t opened = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      // Line breaks within quotes count, so that later errors name the line an editor shows.
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
        continue;
      }
      if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {  // "" stands for one quote
        cell += text_[++at_];
        continue;
      }
      ++at_;
      if (done() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r') return cell;
      return error("text behind a closing quote", "a quote inside a cell is written twice");
    }
    line_ = opened;
    return error("a quote is opened and not closed");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::string_view CsvTable::cell(std::size_t row, std::string_view column) const {
  const auto at = find(column);
  return at ? std::string_view(rows[row][*at]) : std::string_view();
}

Error CsvTable::error_at(std::size_t row, std::string_view column, std::string_view message, std::string hint) const {
  return Error{fmt::format("line {}, column '{}': {}", lines[row], column, message), file, Error::kNoOffset,
               std::move(hint)};
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& file) {
  CsvTable table;
  table.file = file;
  CsvScanner scanner(text, file);
  while (!scanner.done()) {
    // Taken before the record, which may be several lines long.
    const std::size_t line = scanner.line();
    auto record = scanner.record(table.columns.size());
    if (!record) return record.error();
    if (record->empty()) continue;
    if (table.columns.empty()) {
      table.columns = std::move(*record);
      std::vector<std::string> sorted = table.columns;
      std::sort(sorted.begin(), sorted.end());
      const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      if (twice != sorted.end())
        return Error{fmt::format("line {}: the column '{}' is there twice", line, *twice), file};
      continue;
    }
    if (record->size() != table.columns.size()) {
      return Error{fmt::format("line {}: {} cell{}, where the header has {}", line, record->size(),
                               record->size() == 1 ? "" : "s", table.columns.size()),
                   file, Error::kNoOffset, "cells that hold a comma are put in double quotes"};
    }
    table.rows.push_back(std::move(*record));
    table.lines.push_back(line);
  }
  if (table.columns.empty())
    return Error{"the table is empty", file, Error::kNoOffset, "the first line names the columns"};
  return table;
}

Result<CsvTable> read_csv(const std::string& path) {
  auto text = read_whole_file(path, kMaxCsvBytes);
  if (!text) return text.error();
  return parse_csv(*text, path);
}

}  // namespace orrery

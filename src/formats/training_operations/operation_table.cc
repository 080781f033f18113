#include "formats/training_operations/operation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/io/csv.h"
#include "base/numbers.h"
#include "formats/training_operations/diagnostics.h"
#include "formats/training_operations/parquet.h"

// Cells of both kinds of files are asked for as numbers or texts by row and column; rows are made of them in one place.

namespace orrery::training_operations {
namespace {

constexpr std::array<std::string_view, 11> kColumns = {"dp_rank",  "stage",  "rank", "step",  "optype", "start_ts",
                                                       "duration", "seq_id", "mc",   "mb_id", "gmc"};
enum Place : std::uint8_t {
  kDpRank,
  kStage,
  kRank,
  kStep,
  kOperation,
  kStart,
  kDuration,
  kNumber,
  kChunk,
  kBatch,
  kModelChunk
};
// A day is longer than any step; it keeps sums far from the ends of TimePs.
constexpr double kLongestSeconds = 86'400;

Error missing_column(std::string_view column, const std::string& path) {
  return {fmt::format("this is of no known format: a table without the column '{}'", column), path, 0,
          fmt::format("tables of training operations have {}", fmt::join(kColumns, ", "))};
}

class CsvCells {
 public:
  explicit CsvCells(const CsvTable& table) : table_(table) {}
  [[nodiscard]] std::size_t rows() const { return table_.rows.size(); }
  /// None: there is no number there.
  [[nodiscard]] std::optional<double> real(std::size_t row, std::size_t column) const {
    return parse_finite(table_.rows[row][column]);
  }
  [[nodiscard]] std::string_view text(std::size_t row, std::size_t column) const { return table_.rows[row][column]; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const { return table_.find(name); }

 private:
  const CsvTable& table_;
};

class ParquetCells {
 public:
  explicit ParquetCells(const ParquetTable& table) : table_(table) {}
  [[nodiscard]] std::size_t rows() const { return table_.rows; }
  [[nodiscard]] std::optional<double> real(std::size_t row, std::size_t column) const {
    const ParquetColumn& of = table_.columns[column];
    if (!of.is_null.empty() && of.is_null[row] != 0) return std::nullopt;
    if (!of.integers.empty()) return static_cast<double>(of.integers[row]);
    if (of.reals.empty() || !std::isfinite(of.reals[row])) return std::nullopt;
    return of.reals[row];
  }
  [[nodiscard]] std::string_view text(std::size_t row, std::size_t column) const {
    const ParquetColumn& of = table_.columns[column];
    return of.text_of.empty() ? std::string_view() : std::string_view(of.texts[of.text_of[row]]);
  }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto at = std::find_if(table_.columns.begin(), table_.columns.end(),
                                 [&](const ParquetColumn& column) { return column.name == name; });
    if (at == table_.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(at - table_.columns.begin());
  }

 private:
  const ParquetTable& table_;
};

template <typename Cells>
class RowReader {
 public:
  RowReader(const Cells& cells, const std::string& path, Diagnostics& diagnostics)
      : cells_(cells), path_(path), diagnostics_(diagnostics) {}

  Result<OperationTable> read() {
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const auto at = cells_.find(kColumns[c]);
      if (!at) return missing_column(kColumns[c], path_);
      at_[c] = *at;
    }
    for (std::size_t row = 0; row < cells_.rows(); ++row) {
      if (!take(row)) diagnostics_.add(kBadRow, [&] { return fmt::format("{}, row {}", path_, row + 1); });
    }
    if (table_.rows.empty())
      return Error{"no row of this table of operations can be used", path_, Error::kNoOffset,
                   "each has ranks, a step, an operation, a start and a duration in seconds"};
    return std::move(table_);
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> whole(std::size_t row, Place place) const {
    const std::optional<double> value = cells_.real(row, at_[place]);
    constexpr double kLargest = 1e15;  // of a double that is still exact
    if (!value || *value != std::floor(*value) || std::abs(*value) > kLargest) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

  [[nodiscard]] std::optional<TimePs> time(std::size_t row, Place place) const {
    const std::optional<double> seconds = cells_.real(row, at_[place]);
    if (!seconds || std::abs(*seconds) > kLongestSeconds) return std::nullopt;
    return static_cast<TimePs>(std::llround(*seconds * static_cast<double>(kPsPerSecond)));
  }

  bool take(std::size_t row) {
    const auto dp_rank = whole(row, kDpRank), stage = whole(row, kStage), rank = whole(row, kRank),
               step = whole(row, kStep), number = whole(row, kNumber);
    const auto start = time(row, kStart), duration = time(row, kDuration);
    const std::string_view operation = cells_.text(row, at_[kOperation]);
    if (!dp_rank || !stage || !rank || !step || !number || !start || !duration || operation.empty()) return false;
    if (std::min({*dp_rank, *stage, *rank, *step, *number}) < 0 || *duration < 0) return false;
    table_.rows.push_back({*dp_rank, *stage, *rank, *step, number_of(operation), *start, *duration, *number,
                           whole(row, kChunk).value_or(-1), whole(row, kBatch).value_or(-1),
                           whole(row, kModelChunk).value_or(-1), row});
    return true;
  }

  std::uint32_t number_of(std::string_view operation) {
    auto at = std::find(table_.operations.begin(), table_.operations.end(), operation);  // there are a dozen
    if (at == table_.operations.end()) at = table_.operations.insert(at, std::string(operation));
    return static_cast<std::uint32_t>(at - table_.operations.begin());
  }

  const Cells& cells_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::array<std::size_t, kColumns.size()> at_ = {};
  OperationTable table_;
};

}  // namespace

bool is_header(std::string_view line) {
  line = line.substr(0, line.find_first_of("\r\n"));
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  std::size_t found = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(','), line.size());
    std::string_view name = line.substr(0, end);
    if (name.size() >= 2 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
    found += std::find(kColumns.begin(), kColumns.end(), name) != kColumns.end() ? 1 : 0;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return found == kColumns.size();
}

Result<OperationTable> read_rows(std::string_view bytes, const std::string& path, Diagnostics& diagnostics) {
  if (is_parquet(bytes)) {
    const Result<ParquetTable> table = read_parquet(bytes, path);
    if (!table) return table.error();
    const ParquetCells cells(*table);
    return RowReader<ParquetCells>(cells, path, diagnostics).read();
  }
  const Result<CsvTable> table = parse_csv(bytes, path);
  if (!table) return table.error();
  const CsvCells cells(*table);
  return RowReader<CsvCells>(cells, path, diagnostics).read();
}

}  // namespace orrery::training_operations

#include "formats/request_log/request_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "base/io/file_content.h"
#include "base/numbers.h"

namespace orrery::request_log {
namespace {

// A month: beyond every log, and within what a trace can hold.
constexpr double kMostSeconds = 25 * 24 * 3600.0;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;
constexpr std::string_view kRequestsBeside = "requests.csv";

std::vector<std::string_view> heading_cells(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::string_view line = head.substr(0, head.find('\n'));
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    std::string_view cell = line.substr(at, end - at);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    at = end + 1;
  }
  return cells;
}

/// Columns of one table, or of the one beside it, by the id of their row.
class RequestReader {
 public:
  RequestReader(const CsvTable& table, const CsvTable* beside) : table_(table), beside_(beside) {}

  Result<RequestLog> read() {
    if (const Status found = find_columns(); !found) return found.error();
    RequestLog log{.path = table_.file, .requests = {}};
    std::unordered_set<std::string_view> seen;
    for (std::size_t row = 0; row < table_.rows.size() && !error_; ++row) {
      LoggedRequest request = take(row);
      if (!error_ && request.id.empty()) fail(row, "id", "is empty", "every request has a name of its own");
      if (!error_ && !seen.insert(table_.cell(row, "id")).second)
        fail(row, "id", fmt::format("'{}' is there twice", request.id));
      log.requests.push_back(std::move(request));
    }
    if (error_) return std::move(*error_);
    if (log.requests.empty()) return Error{"the table has no request", table_.file};
    return log;
  }

 private:
  /// Where a cell is: its table and row; no table: nowhere.
  struct Place {
    const CsvTable* table = nullptr;
    std::size_t row = 0;
  };

  [[nodiscard]] bool has(std::string_view column) const {
    return table_.find(column) || (beside_ != nullptr && beside_->find(column));
  }

  Status find_columns() {
    const auto missing = [&](std::string_view what, std::string_view hint) {
      return Error{fmt::format("line 1: the table has no column '{}'", what), table_.file, Error::kNoOffset,
                   std::string(hint)};
    };
    if (!table_.find("id")) return missing("id", "every request has a name of its own");
    if (!has("arrival_s"))
      return missing("arrival_s", fmt::format("when each request came, here or in a {} beside it", kRequestsBeside));
    if (!table_.find("ttft_ms") && !table_.find("first_token_s")) return missing("ttft_ms", "or first_token_s");
    if (!table_.find("latency_ms") && !table_.find("last_token_s")) return missing("latency_ms", "or last_token_s");
    if (beside_ == nullptr) return {};
    if (!beside_->find("id"))
      return Error{"line 1: the table has no column 'id'", beside_->file, Error::kNoOffset,
                   fmt::format("it lies beside {}", table_.file)};
    for (std::size_t row = 0; row < beside_->rows.size(); ++row) by_id_.emplace(beside_->cell(row, "id"), row);
    return {};
  }

  [[nodiscard]] Place find(std::size_t row, std::string_view column) const {
    if (table_.find(column)) return {&table_, row};
    if (beside_ == nullptr || !beside_->find(column)) return {};
    const auto found = by_id_.find(table_.cell(row, "id"));
    return found == by_id_.end() ? Place{} : Place{beside_, found->second};
  }

  void fail(std::size_t row, std::string_view column, std::string_view message, std::string hint = {}) {
    fail(Place{&table_, row}, column, message, std::move(hint));
  }
  void fail(Place place, std::string_view column, std::string_view message, std::string hint = {}) {
    if (!error_) error_ = place.table->error_at(place.row, column, message, std::move(hint));
  }

  /// In seconds by `unit`; nothing if there is no such column or the cell is empty.
  std::optional<TimePs> take_time(std::size_t row, std::string_view column, double unit_s) {
    const Place place = find(row, column);
    if (place.table == nullptr) return std::nullopt;
    const std::string_view cell = place.table->cell(place.row, column);
    if (cell.empty()) return std::nullopt;
    const auto value = parse_finite(cell);
    if (!value) return fail(place, column, fmt::format("must be a time, found '{}'", cell)), std::nullopt;
    if (*value < 0 || *value * unit_s > kMostSeconds)
      return fail(place, column, fmt::format("must be at least 0 and at most {} s, and is {}", kMostSeconds, cell)),
             std::nullopt;
    return static_cast<TimePs>(std::llround(*value * unit_s * static_cast<double>(kPsPerSecond)));
  }

  std::optional<std::uint32_t> take_count(std::size_t row, std::string_view column) {
    const Place place = find(row, column);
    if (place.table == nullptr) return std::nullopt;
    const std::string_view cell = place.table->cell(place.row, column);
    if (cell.empty()) return std::nullopt;
    const auto value = parse_number<std::int64_t>(cell);
    if (!value || *value < 0 || *value > kMostTokens)
      return fail(place, column, fmt::format("must be a whole number from 0 to {}, found '{}'", kMostTokens, cell)),
             std::nullopt;
    return static_cast<std::uint32_t>(*value);
  }

  /// Since the arrival: as such, or as a moment of the clock that arrivals are of.
  TimePs take_since(std::size_t row, std::string_view since_ms, std::string_view moment_s, TimePs arrival) {
    if (const auto time = take_time(row, since_ms, 1e-3)) return *time;
    if (error_) return 0;
    const auto moment = take_time(row, moment_s, 1);
    const std::string_view column = table_.find(since_ms) ? since_ms : moment_s;
    if (error_) return 0;
    if (!moment) return fail(row, column, "is empty", "a request without it did not end: leave it out"), 0;
    if (*moment < arrival) return fail(row, column, "is before the request's arrival"), 0;
    return *moment - arrival;
  }

  LoggedRequest take(std::size_t row) {
    LoggedRequest request;
    request.id = table_.cell(row, "id");
    const auto arrival = take_time(row, "arrival_s", 1);
    if (!arrival && !error_)
      fail(row, table_.find("arrival_s") ? "arrival_s" : "id",
           table_.find("arrival_s") ? "is empty" : fmt::format("'{}' has no arrival in {}", request.id, beside_->file));
    if (error_) return request;
    request.arrival_ps = *arrival;
    request.queue_ps = take_time(row, "queue_ms", 1e-3);
    request.ttft_ps = take_since(row, "ttft_ms", "first_token_s", *arrival);
    request.latency_ps = take_since(row, "latency_ms", "last_token_s", *arrival);
    request.prompt = take_count(row, "prompt");
    request.generate = take_count(row, "generate");
    request.replica = take_count(row, "replica");
    request.tpot_ps = take_time(row, "tpot_ms", 1e-3);
    if (error_) return request;
    if (request.latency_ps < request.ttft_ps)
      fail(row, table_.find("latency_ms") ? "latency_ms" : "last_token_s", "the last token is before the first");
    if (request.queue_ps.value_or(0) > request.ttft_ps)
      fail(row, "queue_ms", "is more than the time to the first token",
           "it is the time until the request was scheduled");
    if (!request.tpot_ps && request.generate)
      request.tpot_ps = *request.generate < 2 ? 0 : (request.latency_ps - request.ttft_ps) / (*request.generate - 1);
    return request;
  }

  const CsvTable& table_;
  const CsvTable* const beside_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
  std::optional<Error> error_;
};

}  // namespace

bool is_request_log(std::string_view head) {
  const std::vector<std::string_view> cells = heading_cells(head);
  const auto has = [&](std::string_view name) { return std::find(cells.begin(), cells.end(), name) != cells.end(); };
  return has("id") && (has("ttft_ms") || has("first_token_s")) && (has("latency_ms") || has("last_token_s"));
}

Result<RequestLog> take_requests(const CsvTable& table, const CsvTable* beside) {
  return RequestReader(table, beside).read();
}

Result<RequestLog> read_request_log(const std::string& path) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  const Result<CsvTable> table = parse_csv(content->bytes(), path);
  if (!table) return table.error();
  std::optional<CsvTable> beside;
  if (!table->find("arrival_s")) {
    const std::filesystem::path other = std::filesystem::path(path).parent_path() / kRequestsBeside;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(other, ignored)) {
      Result<CsvTable> read = read_csv(other.string());
      if (!read) return read.error();
      beside = std::move(*read);
    }
  }
  Result<RequestLog> log = take_requests(*table, beside ? &*beside : nullptr);
  if (!log) return log;
  log->file_bytes = content->file_bytes();
  log->text_bytes = content->bytes().size();
  return log;
}

}  // namespace orrery::request_log

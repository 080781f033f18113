#include "formats/gpu_counters/counter_table.h"

#include <chrono>
#include <cmath>
#include <optional>

#include "base/io/file_content.h"
#include "base/numbers.h"
#include "formats/gpu_counters/diagnostics.h"

// One line per sample and GPU. Cells are separated by a comma and a blank, none is quoted; units stand in the header in
// brackets and, unless they were asked to be left out, behind every value.

namespace orrery::gpu_counters {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

template <typename Integer>
bool take(std::string_view& text, Integer& value, char behind) {
  if (!take_number(text, value)) return false;
  if (behind == '\0') return true;
  if (!text.starts_with(behind)) return false;
  text.remove_prefix(1);
  return true;
}

/// "2026/11/17 13:11:10.928"
std::optional<std::int64_t> parse_time(std::string_view text) {
  int year = 0, hour = 0, minute = 0;
  unsigned month = 0, day = 0;
  double second = 0;
  if (!take(text, year, '/') || !take(text, month, '/') || !take(text, day, ' ') || !take(text, hour, ':') ||
      !take(text, minute, ':') || !take_number(text, second) || !text.empty())
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  const bool is_time = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 61;
  if (!date.ok() || year < 1970 || year > 2200 || !is_time) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  constexpr double kNsPerSecond = 1e9;
  return ((days * 24 + hour) * 60 + minute) * 60 * 1'000'000'000 + std::llround(second * kNsPerSecond);
}

/// "1935 MHz", "35 %", "0x24", "124.53"
std::optional<double> parse_value(std::string_view text) {
  if (text.starts_with("0x")) {
    const auto mask = parse_number<std::uint64_t>(text.substr(2), 16);
    return mask ? std::optional(static_cast<double>(*mask)) : std::nullopt;
  }
  return parse_finite(text.substr(0, text.find(' ')));
}

CounterTable::Counter counter_of(std::string_view heading) {
  const std::size_t bracket = heading.find(" [");
  if (bracket == std::string_view::npos || !heading.ends_with(']')) return {std::string(heading), {}};
  return {std::string(heading.substr(0, bracket)),
          std::string(heading.substr(bracket + 2, heading.size() - bracket - 3))};
}

}  // namespace

bool is_counter_table(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::vector<std::string_view> cells = cells_of(take_line(head));
  return cells.size() > 1 && cells.front() == "timestamp";
}

Result<CounterTable> parse_counter_table(std::string_view text, const std::string& path, Diagnostics& diagnostics) {
  const std::string_view all = text;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::vector<std::string_view> header = cells_of(take_line(text));
  CounterTable table;
  std::optional<std::size_t> device_column;
  for (std::size_t c = 0; c < header.size(); ++c) {
    table.counters.push_back(counter_of(header[c]));
    if (header[c] == "index") device_column = c;
  }
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (trimmed(line).empty()) continue;
    const std::vector<std::string_view> cells = cells_of(line);
    const std::optional<std::int64_t> time = parse_time(cells.front());
    std::int64_t device = 0;
    const bool has_device = !device_column || (*device_column < cells.size() &&
                                               parse_number(cells[*device_column], device) && device >= 0);
    if (!time || !has_device) {
      diagnostics.add(kBadSample, [&] { return path + ", byte " + std::to_string(line.data() - all.data()); });
      continue;
    }
    for (std::size_t c = 1; c < std::min(cells.size(), header.size()); ++c) {
      if (c == device_column) continue;
      if (const auto value = parse_value(cells[c]))
        table.samples.push_back({*time, device, static_cast<std::uint32_t>(c), *value});
    }
  }
  if (table.samples.empty())
    return Error{"no row of this table of GPU counters can be used", path, 0,
                 "nvidia-smi --query-gpu=timestamp,index,clocks.current.sm,power.draw --format=csv -lms 20"};
  return table;
}

Result<CounterTable> read_counter_table(const std::string& path, Diagnostics& diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  return parse_counter_table(content->bytes(), path, diagnostics);
}

}  // namespace orrery::gpu_counters

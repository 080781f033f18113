#include "formats/gpu_counters/counter_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/io/file_content.h"
#include "base/numbers.h"
#include "formats/gpu_counters/diagnostics.h"

// nvidia-smi: one line per sample and GPU. Cells are separated by a comma and a blank, none is quoted; units stand in
// the header in brackets and, unless they were asked to be left out, behind every value.
// dcgmi dmon: words apart by blanks, "GPU 0" first; headers come again every few lines. It writes no times: they stand
// in front of each line if the output went through `ts '%Y/%m/%d %H:%M:%.S'`, as a user must have it.

namespace orrery::gpu_counters {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kEntity = "#Entity";

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

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

template <typename Integer>
bool take(std::string_view& text, Integer& value, char behind) {
  if (!take_number(text, value) || !text.starts_with(behind)) return false;
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

bool is_about_gpus(std::string_view heading) {
  constexpr std::array<std::string_view, 12> kBegins = {"clocks", "power.",         "utilization.", "temperature.",
                                                        "memory", "fan.",           "pstate",       "pci",
                                                        "gpu",    "enforced.power", "ecc.",         "encoder."};
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](std::string_view begin) { return heading.starts_with(begin); });
}

bool is_dcgm_header(std::string_view line) { return line.find(kEntity) != std::string_view::npos; }

/// Where nvidia-smi names a GPU: by its number, or by something that is numbered in the order in which it first comes,
/// which is that of the numbers.
class DeviceColumn {
 public:
  explicit DeviceColumn(const std::vector<std::string_view>& header) {
    constexpr std::array<std::string_view, 6> kNames = {"index",      "uuid",       "gpu_uuid",
                                                        "pci.bus_id", "gpu_bus_id", "serial"};
    for (const std::string_view name : kNames) {
      const auto at = std::find(header.begin(), header.end(), name);
      if (at == header.end()) continue;
      place_ = static_cast<std::size_t>(at - header.begin());
      is_number_ = name == "index";
      return;
    }
  }

  [[nodiscard]] bool is(std::size_t place) const { return place_ == place; }
  /// Without such a column there is one device.
  std::optional<std::int64_t> of(const std::vector<std::string_view>& cells) {
    if (!place_) return 0;
    if (*place_ >= cells.size() || cells[*place_].empty()) return std::nullopt;
    const std::string_view cell = cells[*place_];
    if (is_number_) {
      const auto number = parse_number<std::int64_t>(cell);
      return number && *number >= 0 ? number : std::nullopt;
    }
    const auto known = std::find(names_.begin(), names_.end(), cell);
    const auto number = known - names_.begin();
    if (known == names_.end()) names_.emplace_back(cell);
    return number;
  }

 private:
  std::optional<std::size_t> place_;
  bool is_number_ = false;
  std::vector<std::string> names_;
};

class TableParser {
 public:
  TableParser(std::string_view text, const std::string& path, Diagnostics& diagnostics)
      : all_(text), rest_(text), path_(path), diagnostics_(diagnostics) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  Result<CounterTable> parse() {
    const std::string_view first = take_line(rest_);
    if (is_dcgm_header(first)) parse_dcgm(first);
    else parse_smi(first);
    if (!table_.samples.empty()) return std::move(table_);
    if (is_dcgm_header(first))
      return Error{"no line of this output of dcgmi has a time in front", path_, 0,
                   "dcgmi dmon -e 100,155,112 | ts '%Y/%m/%d %H:%M:%.S'"};
    return Error{"no row of this table of GPU counters can be used", path_, 0,
                 "nvidia-smi --query-gpu=timestamp,index,clocks.current.sm,power.draw --format=csv -lms 20"};
  }

 private:
  void parse_smi(std::string_view first) {
    const std::vector<std::string_view> header = cells_of(first);
    const auto time_column =
        static_cast<std::size_t>(std::find(header.begin(), header.end(), "timestamp") - header.begin());
    DeviceColumn device_column(header);
    for (const std::string_view heading : header) table_.counters.push_back(counter_of(heading));
    while (!rest_.empty()) {
      const std::string_view line = take_line(rest_);
      if (trimmed(line).empty() || line == first) continue;
      const std::vector<std::string_view> cells = cells_of(line);
      const auto time = time_column < cells.size() ? parse_time(cells[time_column]) : std::nullopt;
      const auto device = device_column.of(cells);
      if (!time || !device) {
        odd(line);
        continue;
      }
      for (std::size_t c = 0; c < std::min(cells.size(), header.size()); ++c) {
        if (c != time_column && !device_column.is(c)) add(*time, *device, c, cells[c]);
      }
    }
  }

  void parse_dcgm(std::string_view first) {
    take_dcgm_header(first);
    while (!rest_.empty()) {
      const std::string_view line = take_line(rest_);
      if (is_dcgm_header(line)) {
        take_dcgm_header(line);
        continue;
      }
      // "2026/11/17 13:11:10.928 GPU 0 1980 345.2"; the lines "ID" belong to the header.
      const std::vector<std::string_view> words = words_of(line);
      const auto gpu = std::find(words.begin(), words.end(), "GPU");
      if (gpu == words.end() || gpu + 1 == words.end()) continue;
      const auto number = parse_number<std::int64_t>(*(gpu + 1));
      const auto time =
          gpu - words.begin() == 2 ? parse_time(std::string(words[0]) + " " + std::string(words[1])) : std::nullopt;
      if (!time || !number || *number < 0) {
        odd(line);
        continue;
      }
      const auto values = static_cast<std::size_t>(gpu + 2 - words.begin());
      for (std::size_t c = 0; c < columns_.size() && values + c < words.size(); ++c)
        add(*time, *number, columns_[c], words[values + c]);
    }
  }

  /// Other fields may be asked for in a file that is written on.
  void take_dcgm_header(std::string_view line) {
    columns_.clear();
    for (const std::string_view name : words_of(line.substr(line.find(kEntity) + kEntity.size()))) {
      const auto known = std::find_if(table_.counters.begin(), table_.counters.end(),
                                      [&](const CounterTable::Counter& counter) { return counter.name == name; });
      columns_.push_back(static_cast<std::size_t>(known - table_.counters.begin()));
      if (known == table_.counters.end()) table_.counters.push_back({std::string(name), {}});
    }
  }

  void add(std::int64_t time, std::int64_t device, std::size_t counter, std::string_view cell) {
    if (const auto value = parse_value(cell))
      table_.samples.push_back({time, device, static_cast<std::uint32_t>(counter), *value});
  }

  void odd(std::string_view line) {
    diagnostics_.add(kBadSample, [&] { return path_ + ", byte " + std::to_string(line.data() - all_.data()); });
  }

  std::string_view all_, rest_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  CounterTable table_;
  std::vector<std::size_t> columns_;  // of dcgmi's lines: into `counters`
};

}  // namespace

bool is_counter_table(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const std::string_view first = take_line(head);
  if (is_dcgm_header(first)) return words_of(first.substr(first.find(kEntity))).size() > 1;
  const std::vector<std::string_view> cells = cells_of(first);
  return std::find(cells.begin(), cells.end(), "timestamp") != cells.end() &&
         std::any_of(cells.begin(), cells.end(), is_about_gpus);
}

Result<CounterTable> parse_counter_table(std::string_view text, const std::string& path, Diagnostics& diagnostics) {
  return TableParser(text, path, diagnostics).parse();
}

Result<CounterTable> read_counter_table(const std::string& path, Diagnostics& diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  return parse_counter_table(content->bytes(), path, diagnostics);
}

}  // namespace orrery::gpu_counters

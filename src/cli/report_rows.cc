#include "cli/report_rows.h"

#include <fmt/format.h>

namespace orrery::cli {

void nanoseconds(JsonWriter& json, std::string_view key, TimePs ps) {
  json.key(key);
  if (ps % kPsPerNs == 0) json.value(ps / kPsPerNs);
  else json.value(static_cast<double>(ps) / static_cast<double>(kPsPerNs));
}

double share(TimePs part, TimePs whole) { return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

std::string numbers_alike(const Alike& row, std::size_t first, std::size_t last) {
  if (row.count == 1) return std::to_string(first);
  if (row.last - row.first + 1 == row.count && last - first + 1 == row.count) return fmt::format("{} to {}", first, last);
  return fmt::format("{} alike, {} to {}", format_count(row.count), first, last);
}

std::string and_more(std::string_view name, std::size_t count) {
  return count == 1 ? std::string(name) : fmt::format("{}, and {} more like it", name, format_count(count - 1));
}

std::string rest(std::size_t left_out, std::string_view what) {
  return left_out == 0 ? std::string() : fmt::format("and {} more {}\n", format_count(left_out), what);
}

}  // namespace orrery::cli

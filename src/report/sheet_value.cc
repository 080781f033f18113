#include "report/sheet_value.h"

#include <fmt/format.h>

#include "report/bar.h"

namespace orrery::report {
namespace {

std::string integer_text(std::int64_t number, const SheetColumn& about) {
  if (about.decimals == kExact) return std::to_string(number);
  if (about.unit == Unit::bytes) return format_bytes(static_cast<std::uint64_t>(number));
  return number < 0 ? "-" + format_count(static_cast<std::uint64_t>(-number))
                    : format_count(static_cast<std::uint64_t>(number));
}

std::string real_text(double number, const SheetColumn& about) {
  if (about.decimals == kExact) return fmt::format("{}", number);
  const bool chosen = about.decimals != kAsReadersWould;
  switch (about.unit) {
    // A change of "<0.1 %" would not say which way.
    case Unit::pct:
      return chosen || about.is_change ? fmt::format("{:.{}f} %", number, chosen ? about.decimals : 1)
                                       : percent(number, 100);
    case Unit::gb_per_s: return fmt::format("{:.{}f} GB/s", number, chosen ? about.decimals : 2);
    default: return fmt::format("{:.{}f}", number, chosen ? about.decimals : 2);
  }
}

std::string time_text(TimePs ps, double in_unit, const SheetColumn& about) {
  if (about.decimals == kAsReadersWould) return format_duration(ps);
  return about.decimals == kExact ? fmt::format("{}", in_unit) : fmt::format("{:.{}f}", in_unit, about.decimals);
}

}  // namespace

std::string number_text(const SheetColumn& about, std::int64_t integer, double number) {
  std::string text = about.type == Type::time   ? time_text(integer, number, about)
                     : about.type == Type::real ? real_text(number, about)
                                                : integer_text(integer, about);
  const bool has_sign = about.is_change && number >= 0 && (number > 0 || about.type == Type::real);
  return has_sign ? "+" + text : text;
}

std::string value_text(const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return "-";
  const SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text:
    case Type::integers: return std::string(sheet.text(column, row));
    case Type::flag: return sheet.integer(column, row) != 0 ? "yes" : "no";
    default: return number_text(about, sheet.integer(column, row), sheet.number(column, row));
  }
}

}  // namespace orrery::report

#include "report/sheet.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace orrery::report {

std::string_view suffix_of(Unit unit) {
  switch (unit) {
    case Unit::none: return "";
    case Unit::us: return "_us";
    case Unit::ms: return "_ms";
    case Unit::ns: return "_ns";
    case Unit::bytes: return "_bytes";
    case Unit::pct: return "_pct";
    case Unit::gb_per_s: return "_gb_per_s";
  }
  return "";
}

std::string SheetColumn::key() const {
  const std::string_view suffix = suffix_of(unit);
  // "bytes" measures bytes: bytes_bytes would say it twice.
  const bool says_it = !suffix.empty() && (name == suffix.substr(1) || name.ends_with(suffix));
  return says_it ? name : name + std::string(suffix);
}

Sheet& Sheet::add(SheetColumn column) {
  // One quantity may be there in two units, busy_us and busy_pct; what programs see must be one column each.
  assert(rows_ == 0 && std::none_of(columns_.begin(), columns_.end(),
                                    [&](const SheetColumn& other) { return other.key() == column.key(); }));
  columns_.push_back(std::move(column));
  values_.emplace_back();
  return *this;
}

std::size_t Sheet::find(std::string_view name) const {
  std::size_t at = 0;
  while (at < columns_.size() && columns_[at].name != name) ++at;
  return at;
}

std::int64_t Sheet::stored(const SheetColumn& column, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell.value_)) return kNull;
  if (const auto* text = std::get_if<std::string_view>(&cell.value_)) {
    assert(holds_text(column.type));
    return strings_.intern(*text);
  }
  if (const auto* real = std::get_if<double>(&cell.value_)) {
    assert(column.type == Type::real);
    // Minus zero has the bits of kNull; and it is no other number than zero.
    return std::isnan(*real) ? kNull : std::bit_cast<std::int64_t>(*real == 0 ? 0.0 : *real);
  }
  const std::int64_t integer = std::get<std::int64_t>(cell.value_);
  assert(!holds_text(column.type));
  return column.type == Type::real ? std::bit_cast<std::int64_t>(static_cast<double>(integer)) : integer;
}

void Sheet::add_row(std::span<const Cell> cells, Tone tone) {
  assert(cells.size() == columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) values_[c].integers.push_back(stored(columns_[c], cells[c]));
  tones_.push_back(tone);
  ++rows_;
}

std::string_view Sheet::text(std::size_t column, std::size_t row) const {
  assert(holds_text(columns_[column].type) && !is_null(column, row));
  return strings_.text(static_cast<StringId>(values_[column].integers[row]));
}

double Sheet::number(std::size_t column, std::size_t row) const {
  const std::int64_t value = values_[column].integers[row];
  switch (columns_[column].type) {
    case Type::real: return std::bit_cast<double>(value);
    case Type::time: return static_cast<double>(value) / static_cast<double>(ps_per(columns_[column].unit));
    default: return static_cast<double>(value);
  }
}

}  // namespace orrery::report

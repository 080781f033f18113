// Sheet: an answer. Named, typed columns with units, filled once by an analysis and rendered by whoever asks:
// sheet_text.h for people, sheet_json.h and sheet_csv.h for programs.
//
//     Sheet sheet("ranks");
//     sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
//         .add({.name = "finish", .type = Type::time, .unit = Unit::us, .title = "finish"});
//     sheet.add_row({3, finish_ps});
//
// The same quantity has the same name and unit in every sheet; the key that programs see is the name with the unit
// behind it: finish_us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/units.h"
#include "report/style.h"

namespace orrery::report {

/// How the values of a column are held.
enum class Type : std::uint8_t {
  text,
  integer,
  real,
  time,  ///< TimePs
  flag,
  integers,  ///< a list of them, put in as text: "0, 1, 2"
  json,      ///< a list as JSON, put in as its text: [[32,2880],[2880]]
};
/// Kept as text.
constexpr bool holds_text(Type type) { return type == Type::text || type == Type::integers || type == Type::json; }

/// What they measure: the end of the key, and how people read them. Times are kept in picoseconds and written in the
/// unit.
enum class Unit : std::uint8_t {
  none,
  us,        ///< _us: microseconds
  ms,        ///< _ms: milliseconds; what requests wait for
  ns,        ///< _ns: nanoseconds, exact where they are whole; where another tool's figures are counted in them
  bytes,     ///< _bytes
  pct,       ///< _pct: percent of something, 0 to 100 where it is a part of it
  gb_per_s,  ///< _gb_per_s: 10^9 bytes per second
};
/// "_us"; empty for none.
std::string_view suffix_of(Unit unit);
/// Of times.
constexpr TimePs ps_per(Unit unit) {
  if (unit == Unit::ns) return kPsPerNs;
  return unit == Unit::ms ? kPsPerMs : kPsPerUs;
}

/// How many decimals people see.
inline constexpr int kAsReadersWould =
    -1;                            ///< in the unit and with the digits that a reader would choose: 57.4 ms, 1,234
inline constexpr int kExact = -2;  ///< as programs see it: numbers that are names, like the id of a node

struct SheetColumn {
  std::string name;  ///< lower case, words joined by _, without the unit
  Type type = Type::text;
  Unit unit = Unit::none;
  std::string title = {};    ///< the heading for people; empty: only programs see the column
  bool people_only = false;  ///< says in words what another column tells programs
  bool with_bar = false;     ///< of Unit::pct: people see a bar beside it
  bool is_change = false;    ///< people see its sign, also of what grows
  /// Of reals, and of times: those are then plain numbers of the column's unit, which the title has to name.
  int decimals = kAsReadersWould;

  /// The name with its unit; a name that already ends in the unit ("bytes") stays.
  [[nodiscard]] std::string key() const;
};

/// One value on its way into a sheet. nullptr: not known, which is not zero.
class Cell {
 public:
  Cell(std::nullptr_t) {}
  Cell(std::string_view text) : value_(text) {}
  Cell(const char* text) : value_(std::string_view(text)) {}
  Cell(const std::string& text) : value_(std::string_view(text)) {}
  Cell(bool flag) : value_(static_cast<std::int64_t>(flag)) {}
  Cell(double number) : value_(number) {}
  template <typename Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>)
  Cell(Integer number) : value_(static_cast<std::int64_t>(number)) {}

 private:
  friend class Sheet;
  std::variant<std::monostate, std::string_view, std::int64_t, double> value_;
};

/// Movable, not copied by accident; columns are stored one by one, 8 bytes per number and 4 per text, which is
/// interned.
class Sheet {
 public:
  explicit Sheet(std::string name) : name_(std::move(name)) {}

  /// Before the first row.
  Sheet& add(SheetColumn column);
  /// One cell per column, of its type: integers also go into columns of reals and times, nothing else is converted.
  void add_row(std::span<const Cell> cells, Tone tone = Tone::plain);
  void add_row(std::initializer_list<Cell> cells, Tone tone = Tone::plain) {
    add_row(std::span(cells.begin(), cells.size()), tone);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::span<const SheetColumn> columns() const { return columns_; }
  /// The place of the column called `name`; columns().size() if there is none.
  [[nodiscard]] std::size_t find(std::string_view name) const;

  [[nodiscard]] bool is_null(std::size_t column, std::size_t row) const {
    return values_[column].integers[row] == kNull;
  }
  [[nodiscard]] std::string_view text(std::size_t column, std::size_t row) const;
  /// Of integers, times and flags.
  [[nodiscard]] std::int64_t integer(std::size_t column, std::size_t row) const {
    return values_[column].integers[row];
  }
  /// Of any number, in its unit as programs see it: microseconds for a time in us.
  [[nodiscard]] double number(std::size_t column, std::size_t row) const;
  [[nodiscard]] Tone tone(std::size_t row) const { return tones_[row]; }

 private:
  /// Texts as their ids, reals as their bits: one kind of storage, so that a row costs no branch per cell.
  struct Values {
    Column<std::int64_t> integers;
  };
  static constexpr std::int64_t kNull = INT64_MIN;
  [[nodiscard]] std::int64_t stored(const SheetColumn& column, const Cell& cell);

  std::string name_;
  std::vector<SheetColumn> columns_;
  std::vector<Values> values_;
  std::vector<Tone> tones_;
  Interner strings_;
  std::size_t rows_ = 0;
};

}  // namespace orrery::report

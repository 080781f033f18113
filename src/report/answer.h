// Answer: what a verb says. Sentences for people, Facts for programs and Sheets for both, told once and in order;
// whoever asked gets it as text, JSON, CSV or Python's objects.
//
//     Answer answer(Reader::people);
//     answer.headline("Rank 3 is late.");
//     answer.facts().field("verdict", verdict);
//     answer.table(ranks_sheet(job), {.view = {.rows = 10, .rest = "ranks"}}).gap();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "report/facts.h"
#include "report/sheet.h"
#include "report/sheet_view.h"

namespace orrery::report {

/// Who reads it, and in which form.
enum class Reader : std::uint8_t {
  people,    ///< text
  programs,  ///< JSON, Python
  tables,    ///< CSV
  library,   ///< text and facts: what a program gets that also shows it to people
};

/// Those among them who get a table.
enum class Readers : std::uint8_t {
  people = 1,
  programs = 2,
  tables = 4,
  people_and_tables = 5,
  people_and_programs = 3,
  programs_and_tables = 6,
  all = 7,
};

/// How a table appears among the Facts.
enum class Form : std::uint8_t {
  rows,     ///< "name": [{...}, ...]
  row,      ///< "name": {...}: the first row
  members,  ///< the members of the first row, in the object that is open
};

struct Shown {
  SheetView view = {};  ///< for people; its width and style are the reader's
  Readers readers = Readers::all;
  Form form = Form::rows;
  std::string_view key = {};  ///< for programs; empty: the sheet's name
  bool as_lines = false;      ///< for people: the first row as lines, a column each (sheet_text.h)
  bool after_gap = false;     ///< for people: an empty line before it, if it has rows at all
};

/// Made for one reader: what others would read is not kept, and need not be made.
class Answer {
 public:
  /// `columns`: the width that text should keep to.
  explicit Answer(Reader reader, std::size_t columns = 100) : reader_(reader), columns_(columns) {}
  Answer(Answer&&) = default;
  Answer& operator=(Answer&&) = default;

  [[nodiscard]] bool for_people() const { return reads(Readers::people); }
  [[nodiscard]] bool for_programs() const { return reads(Readers::programs); }
  [[nodiscard]] bool for_tables() const { return reads(Readers::tables); }
  [[nodiscard]] std::size_t columns() const { return columns_; }

  /// The answer in one sentence.
  Answer& headline(std::string sentence);
  /// A line for people.
  Answer& line(std::string_view text, Tone tone = Tone::plain);
  /// Text for people as it is: lines with their ends.
  Answer& text(std::string_view text, Tone tone = Tone::plain);
  /// An empty line for people.
  Answer& gap() { return line({}); }
  /// What to ask next, and the command that does: "Next: what if it were twice as fast?  orrery whatif ...".
  Answer& next(std::string_view question, std::string_view command);

  /// For programs.
  Facts& facts() { return facts_; }
  [[nodiscard]] const Facts& facts() const { return facts_; }

  /// A table for all who read it.
  Answer& table(Sheet sheet, const Shown& shown = {});
  /// The same of a sheet that is made only if it is read: `make` returns it.
  template <typename Make>
    requires(std::is_invocable_r_v<Sheet, Make>)
  Answer& table(Make&& make, const Shown& shown = {}) {
    return reads(shown.readers) ? table(Sheet(std::forward<Make>(make)()), shown) : *this;
  }
  [[nodiscard]] bool reads(Readers readers) const {
    const unsigned reader = reader_ == Reader::library ? static_cast<unsigned>(Readers::people_and_programs)
                                                       : 1U << static_cast<unsigned>(reader_);
    return (static_cast<unsigned>(readers) & reader) != 0;
  }

  /// The work was done, and what was checked does not hold: exit status 1.
  void set_failed() { holds_ = false; }
  [[nodiscard]] bool holds() const { return holds_; }
  /// The text lists the remarks itself: they are not to be repeated.
  void set_remarks_in_text() { remarks_in_text_ = true; }
  [[nodiscard]] bool remarks_in_text() const { return remarks_in_text_; }

  [[nodiscard]] const std::string& headline() const { return headline_; }
  /// The tables, in order.
  [[nodiscard]] const std::vector<std::shared_ptr<const Sheet>>& sheets() const { return sheets_; }

  /// Renderings of what was told to the reader of that form.
  [[nodiscard]] std::string to_text(std::size_t table_width, const Style& style) const;
  [[nodiscard]] std::string to_csv() const;
  void write_json(JsonWriter& json) const { facts_.write_json(json); }

 private:
  struct Painted {
    std::string text;
    Tone tone = Tone::plain;
  };
  struct Table {
    std::shared_ptr<const Sheet> sheet;
    SheetView view;
    bool as_lines = false;
    std::string rest, largest, total;  // the view's own: texts of the caller may be gone when it is rendered
  };

  Reader reader_;
  std::size_t columns_;
  bool holds_ = true;
  bool remarks_in_text_ = false;
  std::string headline_;
  std::vector<std::variant<Painted, Table>> parts_;  // for people
  Facts facts_;
  std::vector<std::shared_ptr<const Sheet>> sheets_;
};

/// `word` as one word of a POSIX shell, for commands that are shown: in single quotes unless that is not needed.
std::string shell_quote(std::string_view word);

}  // namespace orrery::report

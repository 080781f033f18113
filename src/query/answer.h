// What came of a question: named columns, and rows of values of any type.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "query/rows.h"
#include "report/facts.h"
#include "report/sheet.h"

namespace orrery::query {

/// 24 bytes per value, and each distinct text once. Moved, not copied.
class Answer {
 public:
  /// Of two columns of one name the second becomes name:1, the third name:2.
  explicit Answer(std::vector<std::string> columns);

  /// For the next place of the last row. Texts are copied.
  void push(const Value& value);

  [[nodiscard]] std::span<const std::string> columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return values_.size() / columns_.size(); }
  [[nodiscard]] const Value& at(std::size_t row, std::size_t column) const {
    return values_[row * columns_.size() + column];
  }

 private:
  std::vector<std::string> columns_;
  std::vector<Value> values_;
  Interner texts_;
};

/// As a Sheet, for tables and CSV. A column with values of different types is one of texts, but integers among reals
/// are reals.
report::Sheet to_sheet(const Answer& answer);

/// "columns": [...], "rows": [[...], ...], as members of the object that is open.
void tell_answer(report::Facts& facts, const Answer& answer);

}  // namespace orrery::query

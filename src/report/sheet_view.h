// What of a Sheet people are shown, and how.
#pragma once

#include <cstddef>
#include <string_view>

#include "report/style.h"

namespace orrery::report {

/// How many rows of a long table people are shown as a rule.
inline constexpr std::size_t kShownRows = 8;

struct SheetView {
  std::size_t width = 100;
  Style style = {};
  std::size_t indent = 0;
  std::size_t rows = ~std::size_t{0};  ///< show this many; the others are counted below the table
  std::string_view rest = "rows";      ///< "and 12 more rows": what those are called
  /// The column by which the largest rows come first; equal ones stay in the order of the sheet. Empty: that order.
  std::string_view largest = {};
  /// Rows that say the same but for their first column are shown as one: numbers as "0 to 15" or, if they are no
  /// neighbours, "4 alike, 0 to 12"; names as "leaf 0 -> spine 0, and 15 more like it".
  bool merge_alike = false;
  /// What a last row under a rule is called, which has the sums of all numbers; empty: none.
  std::string_view total = {};
};

}  // namespace orrery::report

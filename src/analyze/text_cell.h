// A text as a cell of a Sheet.
#pragma once

#include <string_view>

#include "report/sheet.h"

namespace orrery::analyze {

/// Null for an empty text: not known.
inline report::Cell text_or_null(std::string_view text) {
  return text.empty() ? report::Cell(nullptr) : report::Cell(text);
}

}  // namespace orrery::analyze

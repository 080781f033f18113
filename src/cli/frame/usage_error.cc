#include "cli/frame/usage_error.h"

#include <algorithm>

#include "report/text_width.h"

namespace orrery::cli {

std::string UsageError::excerpt() const {
  if (shown.empty()) return {};
  // Printable text keeps one line a line; the prefix is made printable on its own, so that the caret stays in place.
  const std::size_t at = std::min(caret, shown.size());
  const std::string before = report::printable(shown.substr(0, at));
  const std::string after = report::printable(shown.substr(at));
  return "  " + before + after + "\n  " + std::string(report::display_width(before), ' ') + "^\n";
}

}  // namespace orrery::cli

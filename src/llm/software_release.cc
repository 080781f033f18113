#include "llm/software_release.h"

#include "base/numbers.h"

namespace orrery::llm {

std::optional<SoftwareRelease> parse_release(std::string_view text) {
  int year = 0, month = 0;
  if (!take_number(text, year) || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  if (!take_number(text, month) || month < 1 || month > 12) return std::nullopt;
  return SoftwareRelease{.year = static_cast<double>(year), .month = static_cast<double>(month)};
}

}  // namespace orrery::llm

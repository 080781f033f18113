#include "llm/software_release.h"

#include <charconv>

namespace orrery::llm {

std::optional<SoftwareRelease> parse_release(std::string_view text) {
  int year = 0, month = 0;
  const char* end = text.data() + text.size();
  const auto [dot, failed] = std::from_chars(text.data(), end, year);
  if (failed != std::errc() || dot == end || *dot != '.') return std::nullopt;
  if (std::from_chars(dot + 1, end, month).ec != std::errc() || month < 1 || month > 12) return std::nullopt;
  return SoftwareRelease{.year = static_cast<double>(year), .month = static_cast<double>(month)};
}

}  // namespace orrery::llm

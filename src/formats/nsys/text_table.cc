#include "formats/nsys/text_table.h"

#include <algorithm>

namespace orrery::nsys {

std::string_view without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at == 0) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool is_version = (digits.size() == 4 || digits.size() == 5) &&
                          std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? name.substr(0, at) : name;
}

}  // namespace orrery::nsys

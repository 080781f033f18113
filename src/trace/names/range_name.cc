#include "trace/names/range_name.h"

#include <algorithm>
#include <array>

#include "base/numbers.h"

namespace orrery::trace {
namespace {

constexpr std::array<std::string_view, 4> kArgumentKeys = {"op_id = ", "seq = ", "sizes = ", "input_op_ids = "};

/// Where the first ", KEY = " is; npos: nowhere.
std::size_t first_argument(std::string_view text) {
  for (std::size_t at = text.find(", "); at != std::string_view::npos; at = text.find(", ", at + 1)) {
    for (const std::string_view key : kArgumentKeys) {
      if (text.substr(at + 2).starts_with(key)) return at;
    }
  }
  return std::string_view::npos;
}

/// How long the list at the front of `text` is, brackets included.
std::size_t list_length(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace

RangeName read_range_name(std::string_view text) {
  const std::size_t behind_name = first_argument(text);
  RangeName range{.name = text.substr(0, behind_name)};
  range.is_operator = behind_name != std::string_view::npos || range.name.find("::") != std::string_view::npos;
  std::string_view rest = behind_name == std::string_view::npos ? std::string_view() : text.substr(behind_name);
  while (rest.starts_with(", ")) {
    rest.remove_prefix(2);
    const auto* const key = std::find_if(kArgumentKeys.begin(), kArgumentKeys.end(),
                                         [&](std::string_view known) { return rest.starts_with(known); });
    if (key == kArgumentKeys.end()) break;
    rest.remove_prefix(key->size());
    const bool is_list = rest.starts_with('[');
    const std::size_t length = is_list ? list_length(rest) : std::min(rest.find(", "), rest.size());
    const std::string_view value = rest.substr(0, length);
    if (*key == kArgumentKeys[0]) range.operation = leading_number<std::int64_t>(value);
    if (*key == kArgumentKeys[1]) range.sequence = leading_number<std::int64_t>(value);
    if (*key == kArgumentKeys[2]) range.sizes = value;
    rest.remove_prefix(length);
  }
  return range;
}

}  // namespace orrery::trace

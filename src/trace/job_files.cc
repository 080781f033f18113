#include "trace/job_files.h"

#include <algorithm>

#include "base/numbers.h"

namespace orrery::trace {
namespace {

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

/// An ending is a word of letters and digits: behind the last dot of a host's name more follows.
bool is_ending(std::string_view text) {
  return !text.empty() && is_ascii_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_letter(c) || is_ascii_digit(c); });
}

}  // namespace

std::optional<std::int64_t> rank_before_ending(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && is_ending(name.substr(dot + 1));
       dot = name.rfind('.'))
    name = name.substr(0, dot);
  const std::size_t last = name.find_last_of("0123456789");
  if (last == std::string_view::npos) return std::nullopt;
  std::size_t first = last;
  while (first > 0 && is_ascii_digit(name[first - 1])) --first;
  return parse_number<std::int64_t>(name.substr(first, last + 1 - first));
}

}  // namespace orrery::trace

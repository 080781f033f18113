#include "cli/flag.h"

#include <algorithm>

namespace orrery::cli {

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

const Flag* find_flag(std::span<const Flag> flags, std::string_view name) {
  for (const Flag& flag : flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

const Flag* find_short_flag(std::span<const Flag> flags, char short_name) {
  for (const Flag& flag : flags) {
    if (flag.short_name != '\0' && flag.short_name == short_name) return &flag;
  }
  return nullptr;
}

}  // namespace orrery::cli

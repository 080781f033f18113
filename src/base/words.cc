#include "base/words.h"

#include <algorithm>

namespace orrery {

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view kBlanks = " \t\r";
  words.clear();
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  split_words(line, words);
  return words;
}

}  // namespace orrery

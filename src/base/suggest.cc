#include "base/suggest.h"

#include <algorithm>
#include <vector>

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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the dynamic program: two back (for swaps), one back, current.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replaced, last[j] + 1, now[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestWord = 64;
  // The cost is quadratic, and no word is that long.
  if (typed.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string_view word : known) {
    // Half a word is a slip of another kind: nearer than its missing letters count.
    const bool begins = typed.size() >= 2 && word.starts_with(typed);
    const std::size_t distance = begins ? 1 : edit_distance(typed, word);
    // With as many changes as the word has letters, any word becomes any other.
    if (distance < best_distance && distance < word.size()) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace orrery

#include "scrub/words/public_types.h"

#include "scrub/words/public_words.h"

namespace orrery::scrub {
namespace {

bool is_word_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string public_type(std::string_view type) {
  static constexpr std::string_view kPunctuation = "[](),:<>* .&";
  std::string made;
  for (std::size_t at = 0; at < type.size();) {
    std::size_t end = at;
    while (end < type.size() && is_word_char(type[end])) ++end;
    if (end > at) {
      const std::string_view word = type.substr(at, end - at);
      made += is_public_type_word(word) ? word : "Object";
      at = end;
      continue;
    }
    // Other bytes may be of a name in any script, or an escape that would mean something else without what follows it.
    made += kPunctuation.find(type[at]) != std::string_view::npos ? type[at] : '.';
    ++at;
  }
  return made;
}

}  // namespace orrery::scrub

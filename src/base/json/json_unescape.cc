#include "base/json/json_unescape.h"

#include "base/utf8.h"

namespace orrery {
namespace {

// Value of four hex digits at text[at], or -1.
int four_hex(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    case '"':
    case '\\':
    case '/': return c;
    default: return '\0';
  }
}

}  // namespace

std::string unescape_json(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      result += text[i];
      continue;
    }
    if (const char plain = simple_escape(text[i + 1]); plain != '\0') {
      result += plain;
      ++i;
      continue;
    }
    int code = text[i + 1] == 'u' ? four_hex(text, i + 2) : -1;
    // No escape that JSON knows: kept as it is, since a name with a stray backslash is still a name.
    if (code < 0) {
      result += text[i];
      continue;
    }
    i += 5;
    // Beyond 16 bits JSON writes two halves. A half alone becomes the replacement character.
    if (code >= 0xD800 && code < 0xDC00 && i + 2 < text.size() && text[i + 1] == '\\' && text[i + 2] == 'u') {
      if (const int low = four_hex(text, i + 3); low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        i += 6;
      }
    }
    append_utf8(result, static_cast<unsigned>(code));
  }
  return result;
}

}  // namespace orrery

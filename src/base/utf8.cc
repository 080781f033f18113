#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace orrery {

std::size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  // C0 and C1 could only begin what fits one byte: overlong, and used to hide characters from filters.
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
    if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
    if (first == 0xF4 && byte(1) > 0x8F) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

bool is_valid_utf8(std::string_view text) {
  const auto are_ascii = [&](std::size_t begin) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + begin, sizeof eight);
    return (eight & 0x8080'8080'8080'8080u) == 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    // Nearly all names are ASCII, which takes a look at every eight bytes and one at the last eight.
    if (text.size() - i >= 8 && are_ascii(i)) {
      i += 8;
      continue;
    }
    // Less than eight bytes are left: the last eight are looked at again, some of which were seen before.
    if (text.size() >= 8 && text.size() - i < 8 && are_ascii(text.size() - 8)) return true;
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size() + 8);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) {
      repaired += kUtf8Replacement;
      // One byte at a time, so that whatever follows is kept.
      ++i;
    } else {
      repaired.append(text, i, length);
      i += length;
    }
  }
  return repaired;
}

void append_utf8(std::string& out, unsigned code_point) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    // Half of a surrogate pair is no character.
    if (code_point >= 0xD800 && code_point <= 0xDFFF) {
      out += kUtf8Replacement;
      return;
    }
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace orrery

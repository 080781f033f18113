// Moving over JSON text without building anything: the inner loops of the Kineto reader.
//
// All functions work on a window [p, end) that is followed by at least 64 readable bytes. They return nullptr when the window ends before
// the thing they look for does; the caller then either asks for more input or reports a truncated file. Values are passed over, not
// validated: a trace with a malformed number in an argument nobody reads is still a good trace.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "formats/kineto/simd.h"

namespace orrery::kineto {

inline constexpr int kMaxDepth = 512;  ///< nesting beyond this is refused as hostile

inline const char* skip_space(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
  return p;
}

/// `p` is after the opening quote; returns the position of the closing quote. `escaped` is set if a backslash was passed.
inline const char* find_string_end(const char* p, const char* end, bool& escaped) {
  while (p < end) {
    const Bytes16 bytes(p);
    const std::uint32_t quotes = bytes.equal('"');
    const std::uint32_t slashes = bytes.equal('\\');
    if (const std::uint32_t hits = quotes | slashes; hits != 0) {
      const int at = std::countr_zero(hits);
      p += at;
      if (p >= end) return nullptr;
      if ((quotes >> at & 1) != 0) return p;
      escaped = true;
      p += 2;  // whatever is escaped is not the closing quote
      continue;
    }
    p += 16;
  }
  return nullptr;
}

struct ContainerSkip {
  const char* after = nullptr;  ///< after the closing bracket; nullptr: the window ended, or too_deep
  bool too_deep = false;
};

/// `p` is at [ or {. Brackets of both kinds are counted together; strings are passed over whole.
ContainerSkip skip_container(const char* p, const char* end);

inline bool is_number_char(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'; }

/// Passes digits, sign, point and exponent. Returns nullptr only at the end of the window.
inline const char* skip_number(const char* p, const char* end) {
  while (is_number_char(*p)) ++p;  // the padding ends the loop
  return p < end ? p : nullptr;
}

/// A decimal number as written: value = (whole + fraction / 10^12) with `fraction` in units of 10^-12, both carrying the sign.
struct Decimal {
  std::int64_t whole = 0;
  std::int64_t fraction_e12 = 0;
  bool is_integer = true;   ///< written without point or exponent
  bool is_exact = true;     ///< false: digits beyond 10^-12 were dropped, or it does not fit
  bool in_range = true;     ///< false: |whole| does not fit 62 bits
};

/// Parses the number at `p`, which may be followed by anything. Returns the position after it, or nullptr if there is no number here or the
/// window ends in it.
const char* parse_decimal(const char* p, const char* end, Decimal& out);

/// The common case, inlined: up to 18 digits, no fraction. Returns nullptr to say "use parse_decimal".
inline const char* parse_integer_fast(const char* p, const char* end, std::int64_t& out) {
  const char* const first = p;
  std::uint64_t value = 0;
  unsigned digit = 0;
  while ((digit = static_cast<unsigned char>(*p) - static_cast<unsigned>('0')) < 10) {
    value = value * 10 + digit;
    ++p;
  }
  if (p == first || p - first > 18 || p >= end || *p == '.' || *p == 'e' || *p == 'E') return nullptr;
  out = static_cast<std::int64_t>(value);
  return p;
}

/// Value of eight ASCII digits at `p`, or -1 if they are not all digits.
inline std::int64_t eight_digits(const char* p) {
  std::uint64_t chunk = 0;
  std::memcpy(&chunk, p, 8);
  if constexpr (std::endian::native == std::endian::big) chunk = __builtin_bswap64(chunk);
  if (((chunk & 0xF0F0F0F0F0F0F0F0u) | (((chunk + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4)) != 0x3333333333333333u) return -1;
  chunk -= 0x3030303030303030u;
  chunk = chunk * 10 + (chunk >> 8);
  chunk = (((chunk & 0x000000FF000000FFu) * 0x000F424000000064u) + (((chunk >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >> 32;
  return static_cast<std::int64_t>(chunk);
}

}  // namespace orrery::kineto

// Moving over JSON text without building anything: the inner loops of the readers of JSON traces.
//
// All functions work on a window [p, end) that is followed by at least 64 readable bytes. They return nullptr when the
// window ends before the thing they look for does; the caller then either asks for more input or reports a truncated
// file. Values are passed over, not validated: a trace with a malformed number in an argument nobody reads is still a
// good trace.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/limits.h"
#include "base/simd.h"

namespace orrery {

inline const char* skip_space(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
  return p;
}

struct StringEnd {
  const char* quote;  ///< the closing quote; nullptr: the window ended before it
  bool escaped;       ///< a backslash was passed
};

/// The rest of find_string_end once a backslash has been seen at `p`.
StringEnd find_escaped_string_end(const char* p, const char* end);

/// `p` is after the opening quote.
inline StringEnd find_string_end(const char* p, const char* end) {
  for (; p < end; p += 16) {
    const Bytes16 bytes(p);
    const std::uint32_t quotes = bytes.equal('"');
    const std::uint32_t slashes = bytes.equal('\\');
    const std::uint32_t hits = quotes | slashes;
    if (hits == 0) continue;
    p += std::countr_zero(hits);
    if (p >= end) break;
    if (*p == '"') return {p, false};
    return find_escaped_string_end(p, end);
  }
  return {nullptr, false};
}

struct ContainerSkip {
  const char* after = nullptr;  ///< after the closing bracket; nullptr: the window ended, or too_deep
  bool too_deep = false;
};

/// `p` is at [ or {. Brackets of both kinds are counted together; strings are passed over whole.
ContainerSkip skip_container(const char* p, const char* end);

inline bool is_number_char(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

inline bool starts_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

/// Passes digits, sign, point and exponent. Returns nullptr only at the end of the window.
inline const char* skip_number(const char* p, const char* end) {
  while (is_number_char(*p)) ++p;  // the padding ends the loop
  return p < end ? p : nullptr;
}

struct ValueSkip {
  const char* after = nullptr;  ///< after the value; nullptr: the window ended in it, or too_deep; the same as before:
                                ///< there is no value here
  bool too_deep = false;
};

/// Passes the value at `p`, p < end. A number or a word that reaches the end of the window may go on behind it.
inline ValueSkip skip_value(const char* p, const char* end) {
  if (*p == '"') {
    const char* const quote = find_string_end(p + 1, end).quote;
    return {quote == nullptr ? nullptr : quote + 1};
  }
  if (*p == '[' || *p == '{') {
    const ContainerSkip skip = skip_container(p, end);
    return {skip.after, skip.too_deep};
  }
  const char* after = p;
  while (after < end &&
         (is_number_char(*after) || (*after >= 'a' && *after <= 'z') || (*after >= 'A' && *after <= 'Z')))
    ++after;
  return {after};
}

/// A decimal number as written: value = (whole + fraction / 10^12) with `fraction` in units of 10^-12, both carrying
/// the sign.
struct Decimal {
  std::int64_t whole = 0;
  std::int64_t fraction_e12 = 0;
  bool is_integer = true;  ///< written without point or exponent
  bool is_exact = true;    ///< false: digits beyond 10^-12 were dropped, or it does not fit
  bool in_range = true;    ///< false: |whole| does not fit 62 bits
};

/// Parses the number at `p`, which may be followed by anything. Returns the position after it, or nullptr if there is
/// no number here or the window ends in it.
const char* parse_decimal(const char* p, const char* end, Decimal& out);

/// Up to sixteen decimal digits.
struct Digits {
  std::uint64_t value;
  int count;
};

inline constexpr std::uint64_t kPowersOfTen[17] = {1ull,
                                                   10ull,
                                                   100ull,
                                                   1'000ull,
                                                   10'000ull,
                                                   100'000ull,
                                                   1'000'000ull,
                                                   10'000'000ull,
                                                   100'000'000ull,
                                                   1'000'000'000ull,
                                                   10'000'000'000ull,
                                                   100'000'000'000ull,
                                                   1'000'000'000'000ull,
                                                   10'000'000'000'000ull,
                                                   100'000'000'000'000ull,
                                                   1'000'000'000'000'000ull,
                                                   10'000'000'000'000'000ull};

/// The digits among the eight bytes at `p`, without a branch per digit: their number is what a branch predictor cannot
/// guess.
inline Digits read_eight_digits(const char* p) {
  std::uint64_t chunk = 0;
  std::memcpy(&chunk, p, 8);
  if constexpr (std::endian::native == std::endian::big) chunk = __builtin_bswap64(chunk);
  chunk ^= 0x3030303030303030u;  // a digit is now its value; anything else is above 9
  const std::uint64_t others = ((chunk + 0x7676767676767676u) | chunk) & 0x8080808080808080u;
  const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (count == 0) return {0, 0};
  chunk <<= 8 * (8 - count);  // leading zeros, and away with what follows the digits
  chunk = chunk * 10 + (chunk >> 8);
  chunk = (((chunk & 0x000000FF000000FFu) * 0x000F424000000064u) +
           (((chunk >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
          32;
  return {chunk, count};
}

inline Digits read_digits(const char* p) {
  Digits first = read_eight_digits(p);
  if (first.count < 8) return first;
  const Digits second = read_eight_digits(p + 8);
  return {first.value * kPowersOfTen[second.count] + second.value, 8 + second.count};
}

/// The common case, inlined: one to sixteen digits and nothing else. Returns nullptr to say "use parse_decimal".
inline const char* parse_integer_fast(const char* p, const char* end, std::int64_t& out) {
  const Digits digits = read_digits(p);
  p += digits.count;
  const char next = *p;
  if (digits.count == 0 || p >= end || (next >= '0' && next <= '9') || next == '.' || next == 'e' || next == 'E')
    return nullptr;
  out = static_cast<std::int64_t>(digits.value);
  return p;
}

}  // namespace orrery

#include "base/json/json_scan.h"

// Blocks of bytes are compared at once, and the results are bit masks: brackets outside of strings are found by the
// parity of quotes before them, as in simdjson (Langdale and Lemire 2019). A block with a backslash is rare and is gone
// through byte by byte.

namespace orrery {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits of `mantissa` with the point after `point` of them (may lie outside), cut into whole and fraction.
void place_point(const char* digits, int count, std::int64_t point, Decimal& out) {
  std::int64_t whole = 0;
  std::int64_t fraction = 0;
  for (std::int64_t i = 0; i < point; ++i) {
    // Another digit might not fit; 62 bits, so that sums and differences of two still do.
    if (whole > (std::int64_t{1} << 62) / 10 - 10) {
      out.in_range = out.is_exact = false;
      return;
    }
    whole = whole * 10 + (i < count ? digits[i] - '0' : 0);
    if (whole == 0 && i >= count) break;  // 0e999
  }
  int places = 0;
  for (std::int64_t i = point; i < count && places < 12; ++i, ++places) {
    fraction = fraction * 10 + (i >= 0 ? digits[i] - '0' : 0);
  }
  for (std::int64_t i = point + places < 0 ? 0 : point + places; i < count; ++i) {
    if (digits[i] != '0') out.is_exact = false;
  }
  out.whole = whole;
  out.fraction_e12 = fraction * static_cast<std::int64_t>(kPowersOfTen[12 - places]);
}

// The same byte by byte, from a block with a backslash on: such blocks are rare.
ContainerSkip skip_container_bytewise(const char* p, const char* end, int depth, bool in_string) {
  if (in_string) {
    p = find_string_end(p, end).quote;
    if (p == nullptr) return {};
    ++p;
  }
  for (; p < end; ++p) {
    if (*p == '"') {
      p = find_string_end(p + 1, end).quote;
      if (p == nullptr) return {};
    } else if (*p == '[' || *p == '{') {
      if (++depth > kMaxDepth) return {nullptr, true};
    } else if ((*p == ']' || *p == '}') && --depth == 0) {
      return {p + 1, false};
    }
  }
  return {};
}

// Bit i of the result is the exclusive or of bits 0 to i.
std::uint64_t prefix_parity(std::uint64_t bits) {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  return bits ^ bits << 32;
}

// `opens` and `closes` are the brackets of a block that begins with the opening bracket of a container: the bit of the
// bracket that closes it if it holds no containers, or only such that hold none themselves, and ends in this block; 0
// otherwise. Without a branch per bracket, whose number is what a branch predictor cannot guess.
std::uint64_t close_of_shallow(std::uint64_t opens, std::uint64_t closes) {
  const std::uint64_t brackets = opens | closes;
  // The first bracket after an opening one: the carry runs through what lies between.
  const std::uint64_t after_open = ((opens << 1) + ~brackets) & brackets;
  const std::uint64_t second = (brackets & (brackets - 1)) & -(brackets & (brackets - 1));
  const std::uint64_t candidates = (closes & second) != 0 ? second : closes & ~after_open;
  const std::uint64_t close = candidates & -candidates;
  const std::uint64_t up_to = close | (close - 1);
  return std::popcount(opens & up_to) == std::popcount(closes & up_to) ? close : 0;
}

}  // namespace

StringEnd find_escaped_string_end(const char* p, const char* end) {
  while (p < end) {
    const Bytes16 bytes(p);
    const std::uint32_t quotes = bytes.equal('"');
    const std::uint32_t hits = quotes | bytes.equal('\\');
    if (hits == 0) {
      p += 16;
      continue;
    }
    const int at = std::countr_zero(hits);
    p += at;
    if (p >= end) break;
    if ((quotes >> at & 1) != 0) return {p, true};
    p += 2;  // whatever is escaped is not the closing quote
  }
  return {nullptr, true};
}

ORRERY_HOT ContainerSkip skip_container(const char* p, const char* end) {
  int depth = 0;
  std::uint64_t in_string = 0;  // all ones while a string reaches over from the block before
  for (; p < end; p += 64) {
    const Block64 block(p);
    if (block.equal('\\') != 0) return skip_container_bytewise(p, end, depth, in_string != 0);
    // Bit i of `inside` says whether byte i lies in a string: the parity of the quotes up to it.
    const std::uint64_t inside = prefix_parity(block.equal('"')) ^ in_string;
    in_string = static_cast<std::uint64_t>(static_cast<std::int64_t>(inside) >> 63);
    const std::uint64_t opens = block.equal_with_bit5('{') & ~inside;
    const std::uint64_t closes = block.equal_with_bit5('}') & ~inside;
    if (depth == 0) {
      if (const std::uint64_t close = close_of_shallow(opens, closes); close != 0) {
        const char* const after = p + std::countr_zero(close) + 1;
        return {after <= end ? after : nullptr, false};
      }
    }
    // With fewer closing brackets than levels the container cannot end in this block, nor get too deep with few opening
    // ones.
    if (std::popcount(closes) < depth && depth + std::popcount(opens) <= kMaxDepth) {
      depth += std::popcount(opens) - std::popcount(closes);
      continue;
    }
    for (std::uint64_t brackets = opens | closes; brackets != 0; brackets &= brackets - 1) {
      const std::uint64_t bit = brackets & -brackets;
      if ((opens & bit) != 0) {
        if (++depth > kMaxDepth) return {nullptr, true};
      } else if (--depth == 0) {
        const char* const after = p + std::countr_zero(brackets) + 1;
        return {after <= end ? after : nullptr, false};
      }
    }
  }
  return {};
}

const char* parse_decimal(const char* p, const char* end, Decimal& out) {
  out = {};
  // Not every text has something to read behind its end.
  const auto at = [end](const char* place) { return place < end ? *place : '\0'; };
  const bool negative = at(p) == '-';
  if (negative) ++p;
  const char* const whole_start = p;
  while (is_digit(at(p))) ++p;
  const char* const whole_end = p;
  const char* fraction_start = p;
  if (at(p) == '.') {
    fraction_start = ++p;
    while (is_digit(at(p))) ++p;
    out.is_integer = false;
  }
  // "5." and ".5" are no JSON, and are written by some; a lone point is no number.
  const char* const fraction_end = p;
  if (whole_end == whole_start && fraction_end == fraction_start) return nullptr;
  std::int64_t exponent = 0;
  if (at(p) == 'e' || at(p) == 'E') {
    out.is_integer = false;
    const char* q = p + 1;
    const bool negative_exponent = at(q) == '-';
    if (at(q) == '-' || at(q) == '+') ++q;
    if (!is_digit(at(q))) return nullptr;
    for (; is_digit(at(q)); ++q) {
      if (exponent < 100'000) exponent = exponent * 10 + (*q - '0');
    }
    if (negative_exponent) exponent = -exponent;
    p = q;
  }
  if (p >= end) return nullptr;
  char digits[400];
  int count = 0;
  std::int64_t point = 0;
  bool leading = true;
  const auto take = [&](const char* from, const char* to, bool whole) {
    for (const char* q = from; q < to; ++q) {
      if (leading && *q == '0') {
        if (!whole) --point;  // zeros between the point and the first digit
        continue;
      }
      leading = false;
      if (whole) ++point;
      if (count < 400) digits[count++] = *q;
      else if (*q != '0') out.is_exact = false;
    }
  };
  take(whole_start, whole_end, true);
  take(fraction_start, fraction_end, false);
  if (count == 0) return p;  // zero in any spelling
  place_point(digits, count, point + exponent, out);
  if (negative) {
    out.whole = -out.whole;
    out.fraction_e12 = -out.fraction_e12;
  }
  return p;
}

}  // namespace orrery

#include "formats/kineto/scan.h"

namespace orrery::kineto {
namespace {

constexpr std::int64_t kPowersOfTen[19] = {1,
                                           10,
                                           100,
                                           1'000,
                                           10'000,
                                           100'000,
                                           1'000'000,
                                           10'000'000,
                                           100'000'000,
                                           1'000'000'000,
                                           10'000'000'000,
                                           100'000'000'000,
                                           1'000'000'000'000,
                                           10'000'000'000'000,
                                           100'000'000'000'000,
                                           1'000'000'000'000'000,
                                           10'000'000'000'000'000,
                                           100'000'000'000'000'000,
                                           1'000'000'000'000'000'000};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits of `mantissa` with the point after `point` of them (may lie outside), cut into whole and fraction.
void place_point(const char* digits, int count, std::int64_t point, Decimal& out) {
  std::int64_t whole = 0;
  std::int64_t fraction = 0;
  for (std::int64_t i = 0; i < point; ++i) {
    if (whole > (std::int64_t{1} << 62) / 10 - 10) {
      out.in_range = out.is_exact = false;
      return;
    }
    whole = whole * 10 + (i < count ? digits[i] - '0' : 0);
    if (whole == 0 && i >= count) break;  // 0e999
  }
  int places = 0;
  for (std::int64_t i = point < 0 ? point : point; i < count && places < 12; ++i, ++places) {
    fraction = fraction * 10 + (i >= 0 ? digits[i] - '0' : 0);
  }
  for (std::int64_t i = point + places; i < count; ++i) {
    if (i >= 0 && digits[i] != '0') out.is_exact = false;
  }
  out.whole = whole;
  out.fraction_e12 = fraction * kPowersOfTen[12 - places];
}

}  // namespace

ContainerSkip skip_container(const char* p, const char* end) {
  int depth = 0;
  while (p < end) {
    const Bytes16 bytes(p);
    const std::uint32_t quotes = bytes.equal('"');
    const std::uint32_t opens = bytes.equal_with_bit5('{');
    const std::uint32_t closes = bytes.equal_with_bit5('}');
    std::uint32_t hits = quotes | opens | closes;
    const char* next = p + 16;
    while (hits != 0) {
      const int at = std::countr_zero(hits);
      const std::uint32_t bit = 1u << at;
      if (p + at >= end) return {};
      if ((closes & bit) != 0) {
        if (--depth == 0) return {p + at + 1, false};
      } else if ((opens & bit) != 0) {
        if (++depth > kMaxDepth) return {nullptr, true};
      } else {
        bool escaped = false;
        const char* quote = find_string_end(p + at + 1, end, escaped);
        if (quote == nullptr) return {};
        const std::ptrdiff_t after = quote + 1 - p;
        if (after >= 16) {
          next = quote + 1;
          break;
        }
        hits &= ~0u << after;
        continue;
      }
      hits &= hits - 1;
    }
    p = next;
  }
  return {};
}

const char* parse_decimal(const char* p, const char* end, Decimal& out) {
  out = {};
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const whole_start = p;
  while (is_digit(*p)) ++p;
  const char* const whole_end = p;
  const char* fraction_start = p;
  if (*p == '.') {
    fraction_start = ++p;
    while (is_digit(*p)) ++p;
    out.is_integer = false;
  }
  const char* const fraction_end = p;
  if (whole_end == whole_start && fraction_end == fraction_start) return nullptr;
  std::int64_t exponent = 0;
  if (*p == 'e' || *p == 'E') {
    out.is_integer = false;
    const char* q = p + 1;
    const bool negative_exponent = *q == '-';
    if (*q == '-' || *q == '+') ++q;
    if (!is_digit(*q)) return nullptr;
    for (; is_digit(*q); ++q) {
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

}  // namespace orrery::kineto

#include "base/time_text.h"

#include <algorithm>
#include <charconv>

#include "base/units.h"

namespace orrery {

TimeText::TimeText(std::int64_t us, std::int64_t ps, int decimals) {
  char* p = bytes_.data();
  const bool negative = us < 0;
  std::uint64_t whole = negative ? ~static_cast<std::uint64_t>(us) + 1 : static_cast<std::uint64_t>(us);
  auto fraction = static_cast<std::uint32_t>(ps);
  if (negative) {
    *p++ = '-';
    if (fraction != 0) --whole, fraction = 1'000'000 - fraction;  // -3 us + 250'000 ps is -2.75 us
  }
  p = std::to_chars(p, bytes_.data() + bytes_.size(), whole).ptr;
  char* const point = p;
  *p++ = '.';
  for (std::uint32_t unit = 100'000; unit > 0; unit /= 10) {
    *p++ = static_cast<char>('0' + fraction / unit);
    fraction %= unit;
  }
  // As many digits as the file had before, so that what is not moved is written as it was.
  char* const least = point + 1 + std::clamp(decimals, 0, kMostDecimals);
  while (p > least && p[-1] == '0') --p;
  if (p == point + 1) p = point;
  size_ = static_cast<std::size_t>(p - bytes_.data());
}

int count_decimals(std::string_view number) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) return 0;
  const std::size_t after = number.find_first_not_of("0123456789", point + 1);
  return static_cast<int>(std::min(after, number.size()) - point - 1);
}

std::string decimal_us(Int128 ps, int decimals) {
  const Int128 whole = ps / kPsPerUs - (ps % kPsPerUs < 0 ? 1 : 0);
  return std::string(
      TimeText(static_cast<std::int64_t>(whole), static_cast<std::int64_t>(ps - whole * kPsPerUs), decimals).view());
}

}  // namespace orrery

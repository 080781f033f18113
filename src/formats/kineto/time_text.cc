#include "formats/kineto/time_text.h"

#include <algorithm>
#include <charconv>

#include "base/int128.h"

namespace orrery::kineto {
namespace {

constexpr std::int64_t kMostUs = 9'000'000'000'000;  // what fits TimePs
constexpr std::int64_t kFractionUnitsPerPs = 1'000'000;

/// floor(value / unit), and what is left.
struct Division {
  std::int64_t whole;
  std::int64_t rest;
};
Division divide(std::int64_t value, std::int64_t unit) {
  const std::int64_t whole = value / unit - (value % unit < 0 ? 1 : 0);
  return {whole, value - whole * unit};
}

bool is_within_reach(std::int64_t us) { return us <= kMostUs && us >= -kMostUs; }

}  // namespace

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

TimeFrame::TimeFrame(std::int64_t base_unix_ns, std::int64_t epoch_unix_ns) {
  const Int128 epoch_ns = Int128{epoch_unix_ns} - base_unix_ns;
  const Int128 whole = epoch_ns / 1000 - (epoch_ns % 1000 < 0 ? 1 : 0);
  epoch_us_ = static_cast<std::int64_t>(whole);
  epoch_ps_ = static_cast<std::int64_t>(epoch_ns - whole * 1000) * kPsPerNs;
}

bool TimeFrame::moment_of(const Decimal& ts, TimePs& out) const {
  if (!ts.in_range || !is_within_reach(ts.whole - epoch_us_)) return false;
  out = (ts.whole - epoch_us_) * kPsPerUs + ts.fraction_e12 / kFractionUnitsPerPs - epoch_ps_;
  return true;
}

bool TimeFrame::duration_of(const Decimal& dur, TimePs& out) {
  if (!dur.in_range || !is_within_reach(dur.whole)) return false;
  out = dur.whole * kPsPerUs + dur.fraction_e12 / kFractionUnitsPerPs;
  return true;
}

TimeText TimeFrame::ts_of(TimePs moment, int decimals) const {
  const Division us = divide(moment, kPsPerUs);
  const Division more = divide(us.rest + epoch_ps_, kPsPerUs);
  return {us.whole + more.whole + epoch_us_, more.rest, decimals};
}

TimeText TimeFrame::dur_of(TimePs duration, int decimals) {
  const Division us = divide(duration, kPsPerUs);
  return {us.whole, us.rest, decimals};
}

}  // namespace orrery::kineto

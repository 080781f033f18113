#include "formats/step_logs/log_time.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/numbers.h"

namespace orrery::step_logs {
namespace {

constexpr int kPsDigits = 12;            // of a second
constexpr std::size_t kMostDigits = 30;  // 10^30 ps are more than any clock shows, and fit 128 bits
constexpr std::array<std::pair<std::string_view, int>, 4> kUnits = {{{"_ns", 9}, {"_us", 6}, {"_ms", 3}, {"_s", 0}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_whole_digits(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  return static_cast<std::size_t>(std::find_if_not(number.begin(), number.end(), is_digit) - number.begin());
}

}  // namespace

std::optional<Int128> exact_ps(std::string_view number, int unit_digits) {
  const bool is_negative = number.starts_with('-');
  if (is_negative) number.remove_prefix(1);
  std::array<char, kMostDigits> digits{};
  std::size_t count = 0;
  int exponent = 0;  // of ten, of what the digits stand for
  bool any = false, behind_point = false;
  while (!number.empty() && (is_digit(number.front()) || (number.front() == '.' && !behind_point))) {
    if (number.front() == '.') {
      behind_point = true;
    } else {
      any = true;
      const bool counts = count > 0 || number.front() != '0';
      // Digits beyond a picosecond are dropped; of a whole number nothing is.
      if (counts && count < digits.size()) digits[count++] = number.front(), exponent -= behind_point ? 1 : 0;
      else if (counts && !behind_point) return std::nullopt;
      else if (!counts && behind_point) --exponent;
    }
    number.remove_prefix(1);
  }
  if (!any) return std::nullopt;
  if (number.starts_with('e') || number.starts_with('E')) {
    number.remove_prefix(1);
    if (number.starts_with('+')) number.remove_prefix(1);
    int written = 0;
    if (!parse_number(number, written) || written < -99 || written > 99) return std::nullopt;
    exponent += written;
  } else if (!number.empty()) {
    return std::nullopt;
  }
  if (count == 0) return Int128{0};
  exponent += kPsDigits - unit_digits;
  if (exponent > 0 && count + static_cast<std::size_t>(exponent) > kMostDigits) return std::nullopt;
  const std::size_t kept = exponent >= 0 ? count : count - std::min(count, static_cast<std::size_t>(-exponent));
  Int128 value = 0;
  for (std::size_t i = 0; i < kept; ++i) value = value * 10 + (digits[i] - '0');
  for (int i = 0; i < exponent; ++i) value *= 10;
  return is_negative ? -value : value;
}

int unit_of_moment(std::string_view number) {
  // 2001 to 2286 in seconds has ten digits, in ms thirteen, and so on.
  const std::size_t digits = count_whole_digits(number);
  return digits <= 11 ? 0 : digits <= 14 ? 3 : digits <= 17 ? 6 : 9;
}

std::optional<int> unit_of_key(std::string_view key) {
  // "tokens_per_s" is a rate.
  for (const auto& [ending, digits] : kUnits) {
    if (key.ends_with(ending) && key.size() > ending.size() &&
        !key.substr(0, key.size() - ending.size()).ends_with("_per"))
      return digits;
  }
  return std::nullopt;
}

std::string_view without_unit(std::string_view key) {
  for (const auto& [ending, digits] : kUnits) {
    if (unit_of_key(key) == digits && key.ends_with(ending)) return key.substr(0, key.size() - ending.size());
  }
  return key;
}

}  // namespace orrery::step_logs

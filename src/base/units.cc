#include "base/units.h"

#include <fmt/format.h>

#include <cmath>

namespace orrery {
namespace {

std::string three_digits(double value) {
  const double magnitude = std::fabs(value);
  // Limits lie where rounding would show a digit more: 99.96 is "100", not "100.0".
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string format_duration(TimePs ps) {
  const double magnitude = std::fabs(static_cast<double>(ps));
  if (magnitude == 0) return "0";
  if (magnitude < 1e3) return fmt::format("{} ps", ps);
  if (magnitude < 1e6) return three_digits(static_cast<double>(ps) / 1e3) + " ns";
  if (magnitude < 1e9) return three_digits(static_cast<double>(ps) / 1e6) + " µs";
  if (magnitude < 1e12) return three_digits(static_cast<double>(ps) / 1e9) + " ms";
  return three_digits(static_cast<double>(ps) / 1e12) + " s";
}

std::string format_bytes(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (value < 1e3) return fmt::format("{} B", bytes);
  if (value < 1e6) return three_digits(value / 1e3) + " kB";
  if (value < 1e9) return three_digits(value / 1e6) + " MB";
  if (value < 1e12) return three_digits(value / 1e9) + " GB";
  return three_digits(value / 1e12) + " TB";
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace orrery

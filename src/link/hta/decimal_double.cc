#include "link/hta/decimal_double.h"

#include <bit>
#include <cmath>

#include "base/int128.h"

namespace orrery::link::hta {

double microseconds_as_double(std::int64_t epoch_us, TimePs offset_ps) {
  Int128 total_ps = static_cast<Int128>(epoch_us) * kPsPerUs + offset_ps;
  const bool negative = total_ps < 0;
  if (negative) total_ps = -total_ps;
  const auto whole = static_cast<std::uint64_t>(total_ps / kPsPerUs);
  const auto rest_ps = static_cast<std::uint64_t>(total_ps % kPsPerUs);
  // Both operands and the divisor are exact doubles: one correctly rounded division.
  if (total_ps < (Int128{1} << 53)) return (negative ? -1.0 : 1.0) * (static_cast<double>(static_cast<std::uint64_t>(total_ps)) / static_cast<double>(kPsPerUs));
  // Otherwise round the fraction to the bits that are left below the binary point of `whole`.
  const int fraction_bits = 53 - static_cast<int>(std::bit_width(whole));
  if (fraction_bits <= 0) return (negative ? -1.0 : 1.0) * static_cast<double>(whole);
  const UInt128 scaled = static_cast<UInt128>(rest_ps) << fraction_bits;
  auto quotient = static_cast<std::uint64_t>(scaled / static_cast<std::uint64_t>(kPsPerUs));
  const auto remainder = static_cast<std::uint64_t>(scaled % static_cast<std::uint64_t>(kPsPerUs));
  constexpr std::uint64_t kHalf = kPsPerUs / 2;
  if (remainder > kHalf || (remainder == kHalf && (quotient & 1) != 0)) ++quotient;
  const double value = static_cast<double>(whole) + std::ldexp(static_cast<double>(quotient), -fraction_bits);
  return negative ? -value : value;
}

}  // namespace orrery::link::hta

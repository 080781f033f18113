#include "causal/hta/decimal_double.h"

#include <bit>
#include <cmath>

#include "base/int128.h"

namespace orrery::causal::hta {

double microseconds_as_double(std::int64_t epoch_us, TimePs offset_ps) {
  const Int128 total_ps = static_cast<Int128>(epoch_us) * kPsPerUs + offset_ps;
  const double sign = total_ps < 0 ? -1.0 : 1.0;
  const auto magnitude = static_cast<UInt128>(total_ps < 0 ? -total_ps : total_ps);
  // Both operands and the divisor are exact doubles: one correctly rounded division.
  if (magnitude < (UInt128{1} << 53))
    return sign * (static_cast<double>(static_cast<std::uint64_t>(magnitude)) / static_cast<double>(kPsPerUs));
  constexpr auto kDivisor = static_cast<std::uint64_t>(kPsPerUs);
  const int whole_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude / kDivisor)));
  if (whole_bits > 53) {
    // More than a double holds: the conversion rounds, and needs to know in the last bit whether anything was left
    // behind it.
    const int spare_bits = whole_bits <= 61 ? 2 : 0;
    const UInt128 scaled = magnitude << spare_bits;
    const std::uint64_t left_over = scaled % kDivisor != 0 ? 1 : 0;
    return sign *
           std::ldexp(static_cast<double>(static_cast<std::uint64_t>(scaled / kDivisor) | left_over), -spare_bits);
  }
  // Otherwise divide in integers, down to the last of the 53 bits that the whole microseconds leave.
  const int fraction_bits = 53 - whole_bits;
  const UInt128 scaled = magnitude << fraction_bits;
  auto quotient = static_cast<std::uint64_t>(scaled / kDivisor);
  const auto remainder = static_cast<std::uint64_t>(scaled % kDivisor);
  if (remainder > kDivisor / 2 || (remainder == kDivisor / 2 && (quotient & 1) != 0)) ++quotient;
  return sign * std::ldexp(static_cast<double>(quotient), -fraction_bits);
}

std::int64_t written_epoch_us(const trace::RankTrace& rank) {
  return (rank.epoch_unix_ns - rank.source.base_time_ns.value_or(0)) / 1000;
}

}  // namespace orrery::causal::hta

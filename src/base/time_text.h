// Times as traces write them: decimal microseconds, exact to the picosecond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/int128.h"

namespace orrery {

inline constexpr int kMostDecimals = 6;  ///< a picosecond

/// A printed number, without memory of its own elsewhere.
class TimeText {
 public:
  /// Exactly `us` microseconds and `ps` picoseconds, where 0 <= ps < 1'000'000. Zeros at the end are left out as long
  /// as there are more than `decimals` of at most kMostDecimals digits behind the point: (12, 500'000, 3) is 12.500,
  /// (12, 0, 0) is 12.
  TimeText(std::int64_t us, std::int64_t ps, int decimals);

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 32> bytes_;  // sign, nineteen digits, point, six digits
  std::size_t size_;
};

/// Digits behind the point of a number as written: 3 of "12.500", 1 of "1.5e3".
int count_decimals(std::string_view number);

/// `ps` picoseconds in microseconds, with at least `decimals` digits behind the point and no zeros beyond: 1'500'001 is
/// "1.500001". The whole microseconds fit 64 bits.
std::string decimal_us(Int128 ps, int decimals = 0);

}  // namespace orrery

// Times as a Kineto file writes them: decimal microseconds, here to the picosecond.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/json_scan.h"
#include "base/units.h"

namespace orrery::kineto {

inline constexpr int kMostDecimals = 6;  ///< a picosecond

/// A printed number, without memory of its own elsewhere.
class TimeText {
 public:
  /// Exactly `us` microseconds and `ps` picoseconds, where 0 <= ps < 1'000'000. Zeros at the end are left out as long as there are more than
  /// `decimals` of at most kMostDecimals digits behind the point: (12, 500'000, 3) is 12.500, (12, 0, 0) is 12.
  TimeText(std::int64_t us, std::int64_t ps, int decimals);

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 32> bytes_;  // sign, nineteen digits, point, six digits
  std::size_t size_;
};

/// Digits behind the point of a number as written: 3 of "12.500", 1 of "1.5e3".
int count_decimals(std::string_view number);

/// How a file's ts and dur relate to the picoseconds of a clock, whose zero is another moment.
class TimeFrame {
 public:
  /// Unix times: what the file's ts count from, and what the clock's readings count from.
  TimeFrame(std::int64_t base_unix_ns, std::int64_t epoch_unix_ns);

  /// False if it does not fit TimePs. Digits below a picosecond are dropped, toward zero, as the reader does.
  bool moment_of(const Decimal& ts, TimePs& out) const;
  static bool duration_of(const Decimal& dur, TimePs& out);

  [[nodiscard]] TimeText ts_of(TimePs moment, int decimals) const;
  static TimeText dur_of(TimePs duration, int decimals);

 private:
  std::int64_t epoch_us_;  // the clock's zero as a ts, rounded down
  std::int64_t epoch_ps_;  // and what is left, below a microsecond
};

}  // namespace orrery::kineto

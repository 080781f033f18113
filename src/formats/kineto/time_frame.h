// A Kineto file's times and those of a clock.
#pragma once

#include <cstdint>

#include "base/json/json_scan.h"
#include "base/time_text.h"
#include "base/units.h"

namespace orrery::kineto {

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

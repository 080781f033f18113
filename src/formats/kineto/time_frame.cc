#include "formats/kineto/time_frame.h"

#include "base/int128.h"
#include "formats/kineto/limits.h"

namespace orrery::kineto {
namespace {

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

bool is_within_reach(std::int64_t us) { return us <= kMaxUs && us >= -kMaxUs; }

}  // namespace

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

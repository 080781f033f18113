#include "formats/xspace/clock_cursor.h"

#include <algorithm>

#include "base/int128.h"
#include "trace/trace.h"

namespace orrery::xspace {
namespace {

std::uint64_t distance(TimePs low, TimePs high) { return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low); }

struct Quotient {
  std::uint64_t whole = 0;
  std::uint64_t rest = 0;
};

// a * b / c for b <= c: the quotient is at most a. Products of short stretches fit 64 bits, where division is several times faster.
Quotient scale(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const UInt128 product = UInt128{a} * b;
  if (product >> 64 == 0) {
    const auto small = static_cast<std::uint64_t>(product);
    return {small / c, small % c};
  }
  const auto whole = static_cast<std::uint64_t>(product / c);
  return {whole, static_cast<std::uint64_t>(product - UInt128{whole} * c)};
}

}  // namespace

void ClockCursor::find_segment(TimePs value, TimePs trace::ClockKnot::*side) {
  const std::ptrdiff_t last = std::ssize(knots_) - 1;
  const bool same =
      segment_ >= -1 && (segment_ < 0 || knots_[segment_].*side <= value) && (segment_ == last || value < knots_[segment_ + 1].*side);
  if (same) return;
  const auto after =
      std::upper_bound(knots_.begin(), knots_.end(), value, [side](TimePs x, const trace::ClockKnot& knot) { return x < knot.*side; });
  segment_ = after - knots_.begin() - 1;
}

ClockCursor::Image ClockCursor::map(TimePs t) {
  find_segment(t, &trace::ClockKnot::from_ps);
  const trace::ClockKnot& left = knots_[std::max<std::ptrdiff_t>(segment_, 0)];
  const bool inside = segment_ >= 0 && segment_ + 1 < std::ssize(knots_);
  if (!inside) return {t + (left.to_ps - left.from_ps), true};
  const trace::ClockKnot& right = knots_[segment_ + 1];
  const std::uint64_t rise = distance(left.to_ps, right.to_ps);
  const Quotient image = scale(rise, distance(left.from_ps, t), distance(left.from_ps, right.from_ps));
  // One reading earlier the product is `rise` less: the same quotient if the rest is that large.
  return {left.to_ps + static_cast<TimePs>(image.whole), t == left.from_ps || image.rest < rise};
}

TimePs ClockCursor::first_preimage(TimePs time) {
  find_segment(time, &trace::ClockKnot::to_ps);
  const trace::ClockKnot& left = knots_[std::max<std::ptrdiff_t>(segment_, 0)];
  const bool inside = segment_ >= 0 && segment_ + 1 < std::ssize(knots_);
  if (!inside) return time - (left.to_ps - left.from_ps);
  const trace::ClockKnot& right = knots_[segment_ + 1];
  const Quotient reading = scale(distance(left.from_ps, right.from_ps), distance(left.to_ps, time), distance(left.to_ps, right.to_ps));
  return left.from_ps + static_cast<TimePs>(reading.whole) + (reading.rest != 0 ? 1 : 0);
}

bool ClockCursor::fits() const {
  const auto shifts_little = [](const trace::ClockKnot& knot) {
    const Int128 shift = Int128{knot.to_ps} - knot.from_ps;
    const bool is_moment = knot.from_ps <= trace::kMaxMomentPs && knot.from_ps >= -trace::kMaxMomentPs;
    return is_moment && shift <= trace::kMaxMomentPs && shift >= -trace::kMaxMomentPs;
  };
  return !knots_.empty() && std::all_of(knots_.begin(), knots_.end(), shifts_little);
}

}  // namespace orrery::xspace

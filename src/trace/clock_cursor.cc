#include "trace/clock_cursor.h"

#include <algorithm>
#include <limits>

#include "base/int128.h"
#include "trace/trace.h"

namespace orrery::trace {
namespace {

struct Quotient {
  std::int64_t whole = 0;
  std::uint64_t rest = 0;
};

// floor(part * (rise - run) / run), and what is left, for part < run. A clock's gain is so small that the quotient is
// far below 2^50: its estimate in floating point is off by no more than one, and 64 bits are enough to see by how much.
// Else it takes 128 bits.
Quotient gained(std::uint64_t part, std::uint64_t run, std::uint64_t rise, double gain) {
  constexpr double kExact = 1e15;
  constexpr std::uint64_t kShort = std::uint64_t{1} << 61;
  const double estimate = static_cast<double>(part) * gain;
  if (estimate < kExact && estimate > -kExact && run < kShort) {
    auto whole = static_cast<std::int64_t>(estimate);
    auto rest = static_cast<std::int64_t>(part * (rise - run) - static_cast<std::uint64_t>(whole) * run);
    while (rest < 0) --whole, rest += static_cast<std::int64_t>(run);
    while (rest >= static_cast<std::int64_t>(run)) ++whole, rest -= static_cast<std::int64_t>(run);
    return {whole, static_cast<std::uint64_t>(rest)};
  }
  const UInt128 product = UInt128{part} * rise;
  const auto whole = static_cast<std::uint64_t>(product / run);
  return {static_cast<std::int64_t>(whole - part), static_cast<std::uint64_t>(product - UInt128{whole} * run)};
}

}  // namespace

void ClockCursor::find(TimePs value, Side side, Stretch& stretch) const {
  if (value >= stretch.begin && value < stretch.end) return;
  const auto here = side == Side::from ? &ClockKnot::from_ps : &ClockKnot::to_ps;
  const auto there = side == Side::from ? &ClockKnot::to_ps : &ClockKnot::from_ps;
  const auto after = std::upper_bound(knots_.begin(), knots_.end(), value,
                                      [here](TimePs x, const ClockKnot& knot) { return x < knot.*here; });
  const ClockKnot& left = after == knots_.begin() ? *after : *(after - 1);
  stretch.begin = after == knots_.begin() ? std::numeric_limits<TimePs>::min() : left.*here;
  stretch.end = after == knots_.end() ? std::numeric_limits<TimePs>::max() : (*after).*here;
  stretch.shift = left.*there - left.*here;
  stretch.run = stretch.rise = 1;
  stretch.gain = 0;
  if (after == knots_.begin() || after == knots_.end()) return;
  stretch.run = distance(left.*here, (*after).*here);
  stretch.rise = distance(left.*there, (*after).*there);
  stretch.gain =
      (static_cast<double>(stretch.rise) - static_cast<double>(stretch.run)) / static_cast<double>(stretch.run);
}

ClockCursor::Image ClockCursor::map(TimePs t) {
  find(t, Side::from, forward_);
  if (forward_.run == forward_.rise) return {t + forward_.shift, true};
  const std::uint64_t part = distance(forward_.begin, t);
  const Quotient more = gained(part, forward_.run, forward_.rise, forward_.gain);
  // One reading earlier part * rise is `rise` less: the same image if the rest is that large.
  return {t + forward_.shift + more.whole, part == 0 || more.rest < forward_.rise};
}

TimePs ClockCursor::first_preimage(TimePs time) {
  find(time, Side::to, backward_);
  if (backward_.run == backward_.rise) return time + backward_.shift;
  const Quotient more = gained(distance(backward_.begin, time), backward_.run, backward_.rise, backward_.gain);
  return time + backward_.shift + more.whole + (more.rest != 0 ? 1 : 0);
}

bool ClockCursor::fits() const {
  const auto shifts_little = [](const ClockKnot& knot) {
    const Int128 shift = Int128{knot.to_ps} - knot.from_ps;
    return is_moment(knot.from_ps) && shift <= kMaxMomentPs && shift >= -kMaxMomentPs;
  };
  return !knots_.empty() && std::all_of(knots_.begin(), knots_.end(), shifts_little);
}

}  // namespace orrery::trace

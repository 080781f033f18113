#include "trace/clock.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/int128.h"
#include "trace/trace.h"

// Everything is exact in whole picoseconds: products in 128 bits, images rounded down, uncertainties up. A composition
// is made by the points at which it bends (knots of the inner clock, preimages of those of the outer one); a cursor
// maps many times that lie close together, with the division replaced by an estimate that is corrected.

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
    // Wraps around in 64 bits, and so does the product that is taken from it: the difference is small, and right.
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
  // Beyond the first and the last knot the clock goes on with slope one.
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
  // Rounded up: the first reading that maps there.
  return time + backward_.shift + more.whole + (more.rest != 0 ? 1 : 0);
}

bool ClockCursor::fits() const {
  const auto shifts_little = [](const ClockKnot& knot) {
    const Int128 shift = Int128{knot.to_ps} - knot.from_ps;
    return is_moment(knot.from_ps) && shift <= kMaxMomentPs && shift >= -kMaxMomentPs;
  };
  return !knots_.empty() && std::all_of(knots_.begin(), knots_.end(), shifts_little);
}

namespace {

constexpr TimePs kMin = std::numeric_limits<TimePs>::min();
constexpr TimePs kMax = std::numeric_limits<TimePs>::max();

enum class Rounding { down, up };

TimePs saturate(Int128 value) { return static_cast<TimePs>(std::clamp<Int128>(value, kMin, kMax)); }

TimePs add(TimePs a, TimePs b) { return saturate(Int128{a} + b); }

/// rise * part / whole for part <= whole, whole > 0. The product of two 64-bit distances fits 128 bits, the quotient is
/// at most `rise`.
std::uint64_t scale(std::uint64_t rise, std::uint64_t part, std::uint64_t whole, Rounding rounding) {
  const UInt128 product = UInt128{rise} * part;
  return static_cast<std::uint64_t>((product + (rounding == Rounding::up ? whole - 1 : 0)) / whole);
}

/// The line through two columns of the knots: `from` to `to` is the clock itself, the other way round its inverse.
struct Line {
  std::span<const ClockKnot> knots;
  TimePs ClockKnot::*from;
  TimePs ClockKnot::*to;

  /// Index of the last knot at or before t, or -1.
  [[nodiscard]] std::ptrdiff_t segment(TimePs t) const {
    const auto after = std::upper_bound(knots.begin(), knots.end(), t,
                                        [this](TimePs x, const ClockKnot& knot) { return x < knot.*from; });
    return after - knots.begin() - 1;
  }

  /// The exact image, rounded; outside the knots it may leave the range of TimePs.
  [[nodiscard]] Int128 at(TimePs t, Rounding rounding) const {
    const std::ptrdiff_t i = segment(t);
    const bool inside = i >= 0 && i + 1 < std::ssize(knots);
    const ClockKnot& left = knots[std::max<std::ptrdiff_t>(i, 0)];
    if (!inside) return Int128{t} - left.*from + left.*to;
    const ClockKnot& right = knots[i + 1];
    const std::uint64_t rise = distance(left.*to, right.*to);
    return Int128{left.*to} + scale(rise, distance(left.*from, t), distance(left.*from, right.*from), rounding);
  }
};

Line forward(std::span<const ClockKnot> knots) { return {knots, &ClockKnot::from_ps, &ClockKnot::to_ps}; }
Line backward(std::span<const ClockKnot> knots) { return {knots, &ClockKnot::to_ps, &ClockKnot::from_ps}; }

/// How far the interval t +- reach extends around the image of t.
TimePs stretched(const Line& line, TimePs t, TimePs reach) {
  const Int128 low = line.at(add(t, -reach), Rounding::down);
  const Int128 high = line.at(add(t, reach), Rounding::up);
  const Int128 center = line.at(t, Rounding::down);
  return saturate(std::max(center - low, high - center));
}

/// The points between which the composition is linear, in order: the inner knots, and the integers around the preimage
/// of each point at which the outer clock bends or leaves the range of TimePs. A preimage beyond the range of TimePs
/// becomes the end of that range.
std::vector<TimePs> breakpoints(std::span<const ClockKnot> inner, std::span<const ClockKnot> outer) {
  const TimePs first_reached = saturate(backward(outer).at(kMin, Rounding::up));
  const TimePs last_reached = saturate(backward(outer).at(kMax, Rounding::down));
  std::vector<TimePs> points;
  for (const ClockKnot& knot : inner) {
    if (knot.to_ps >= first_reached && knot.to_ps <= last_reached) points.push_back(knot.from_ps);
  }
  const auto add_preimage = [&](TimePs middle) {
    for (const Rounding rounding : {Rounding::down, Rounding::up})
      points.push_back(saturate(backward(inner).at(middle, rounding)));
  };
  for (const ClockKnot& knot : outer) add_preimage(knot.from_ps);
  if (inner.front().to_ps < first_reached) add_preimage(first_reached);
  if (inner.back().to_ps > last_reached) add_preimage(last_reached);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// Makes images strictly increasing: of a run of equal images the first stays, and the last is lifted by 1 ps unless
/// the knot that follows is no more than 1 ps higher, in which case the floor of the line between them gives the right
/// image without it.
void separate_equal_images(std::vector<ClockKnot>& knots) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < knots.size();) {
    std::size_t last = i;
    while (last + 1 < knots.size() && knots[last + 1].to_ps == knots[i].to_ps) ++last;
    const bool lift =
        last > i && knots[i].to_ps < kMax && (last + 1 == knots.size() || knots[last + 1].to_ps - 1 > knots[i].to_ps);
    ClockKnot lifted = knots[last];
    knots[kept++] = knots[i];
    if (lift) ++lifted.to_ps, knots[kept++] = lifted;
    i = last + 1;
  }
  knots.resize(kept);
}

bool on_line(const ClockKnot& a, const ClockKnot& b, const ClockKnot& c) {
  const std::uint64_t part = distance(a.from_ps, b.from_ps), whole = distance(a.from_ps, c.from_ps);
  const bool same_slope = UInt128{distance(a.to_ps, b.to_ps)} * whole == UInt128{distance(a.to_ps, c.to_ps)} * part;
  return same_slope && (Int128{b.uncertainty_ps} - a.uncertainty_ps) * Int128{whole} ==
                           (Int128{c.uncertainty_ps} - a.uncertainty_ps) * Int128{part};
}

/// Whether the line from a to b is what a clock that ends at either of them would do anyway.
bool slope_one(const ClockKnot& a, const ClockKnot& b) {
  return distance(a.from_ps, b.from_ps) == distance(a.to_ps, b.to_ps) && a.uncertainty_ps == b.uncertainty_ps;
}

void drop_redundant(std::vector<ClockKnot>& knots) {
  std::vector<ClockKnot> kept;
  for (const ClockKnot& knot : knots) {
    // Knots on a line between others say nothing of their own.
    while (kept.size() >= 2 && on_line(kept[kept.size() - 2], kept.back(), knot)) kept.pop_back();
    if (kept.size() == 1 && slope_one(kept.back(), knot)) kept.pop_back();
    kept.push_back(knot);
  }
  while (kept.size() >= 2 && slope_one(kept[kept.size() - 2], kept.back())) kept.pop_back();
  knots = std::move(kept);
}

}  // namespace

Clock Clock::offset(TimePs offset_ps, TimePs uncertainty_ps) {
  assert(uncertainty_ps >= 0);
  return Clock({{.from_ps = 0, .to_ps = offset_ps, .uncertainty_ps = uncertainty_ps}});
}

Result<Clock> Clock::from_knots(std::span<const ClockKnot> knots) {
  if (knots.empty()) return Error{.message = "a clock needs at least one knot"};
  for (std::size_t i = 0; i < knots.size(); ++i) {
    const std::string name = "clock knot " + std::to_string(i);
    if (knots[i].uncertainty_ps < 0) return Error{.message = name + " has a negative uncertainty"};
    if (i == 0) continue;
    const bool increasing = knots[i].from_ps > knots[i - 1].from_ps && knots[i].to_ps > knots[i - 1].to_ps;
    if (!increasing)
      return Error{.message = name + " does not increase on both sides",
                   .hint = "merge equal readings, reject those that go back"};
  }
  return Clock(std::vector<ClockKnot>(knots.begin(), knots.end()));
}

TimePs Clock::map(TimePs t) const { return saturate(forward(knots_).at(t, Rounding::down)); }

TimePs Clock::uncertainty(TimePs t) const {
  const std::ptrdiff_t i = forward(knots_).segment(t);
  if (i < 0) return knots_.front().uncertainty_ps;
  const ClockKnot& left = knots_[i];
  if (i + 1 == std::ssize(knots_)) return left.uncertainty_ps;
  const ClockKnot& right = knots_[i + 1];
  const std::uint64_t part = distance(left.from_ps, t), whole = distance(left.from_ps, right.from_ps);
  if (left.uncertainty_ps <= right.uncertainty_ps) {
    const std::uint64_t rise = distance(left.uncertainty_ps, right.uncertainty_ps);
    // Rounded up, and below down: the uncertainty is never told smaller than it is.
    return left.uncertainty_ps + static_cast<TimePs>(scale(rise, part, whole, Rounding::up));
  }
  const std::uint64_t fall = distance(right.uncertainty_ps, left.uncertainty_ps);
  return left.uncertainty_ps - static_cast<TimePs>(scale(fall, part, whole, Rounding::down));
}

Clock Clock::inverse() const {
  std::vector<ClockKnot> swapped;
  swapped.reserve(knots_.size());
  for (const ClockKnot& knot : knots_) {
    swapped.push_back({knot.to_ps, knot.from_ps, stretched(backward(knots_), knot.to_ps, knot.uncertainty_ps)});
  }
  return Clock(std::move(swapped));
}

Clock Clock::compose(const Clock& outer) const {
  const Line second = forward(outer.knots_);
  std::vector<ClockKnot> composed;
  for (const TimePs t : breakpoints(knots_, outer.knots_)) {
    const TimePs middle = map(t);
    composed.push_back(
        {t, outer.map(middle), add(outer.uncertainty(middle), stretched(second, middle, uncertainty(t)))});
  }
  // Images may have become equal by rounding, which a clock must not have.
  separate_equal_images(composed);
  drop_redundant(composed);
  return Clock(std::move(composed));
}

}  // namespace orrery::trace

// How the readings of one clock map to those of another: a strictly increasing piecewise-linear map with an
// uncertainty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace orrery::trace {

/// One fixed point of a Clock: where the local clock shows `from_ps`, the other one shows `to_ps`, give or take
/// `uncertainty_ps`.
struct ClockKnot {
  TimePs from_ps = 0;
  TimePs to_ps = 0;
  TimePs uncertainty_ps = 0;

  friend bool operator==(const ClockKnot&, const ClockKnot&) = default;
};

/// An immutable map between two clocks. Let f be the real function that is linear between neighbouring knots and has
/// slope 1 before the first and after the last one: a clock says nothing about drift it has not seen, so whoever
/// extrapolates a drift adds a knot that does. A step of a clock (NTP) is two knots 1 ps apart. All arithmetic is exact
/// on integers with 128-bit intermediates:
///   * map(t) = floor(f(t)), saturated to the range of TimePs; saturation happens only outside the knots. Knots map to
///   knots exactly.
///   * map never decreases; it increases strictly where f has slope 1 or more (and does not saturate). Differences
///   between readings are
///     kept to within 1 ps of the true linear image, and order and nesting of events are kept altogether.
///   * g = inverse() has the knots with their sides exchanged, and 0 <= t - g.map(map(t)) <= ceil(1/slope): 0 where the
///   slope is 1, at
///     most 1 ps where it is larger.
///   * h = compose(outer) satisfies h.map(t) == outer.map(map(t)) at the knots of the inner clock and at the two
///   integers around each
///     preimage of an outer knot. Where two such points share one image (a slope below 1 between them), the later may
///     come out 1 ps high: an image cannot repeat in a strictly increasing map. Everywhere else |h.map(t) -
///     outer.map(map(t))| < 2 + slope of outer. h saturates once, at the end, so it may be finite where the two steps
///     in turn would have run into the range of TimePs.
class Clock {
 public:
  static Clock identity() { return offset(0); }
  /// t -> t + offset_ps.
  static Clock offset(TimePs offset_ps, TimePs uncertainty_ps = 0);
  /// The knots must be strictly increasing on both sides, at least one, with no negative uncertainty; the Error names
  /// the first bad one.
  static Result<Clock> from_knots(std::span<const ClockKnot> knots);

  /// O(log knots).
  [[nodiscard]] TimePs map(TimePs t) const;
  /// Half the width of the interval around map(t) that holds the true image: linear between the knots, rounded up,
  /// constant outside them.
  [[nodiscard]] TimePs uncertainty(TimePs t) const;

  /// The way back. The uncertainty of a knot becomes the reach of its interval on the other side.
  [[nodiscard]] Clock inverse() const;
  /// First this clock, then `outer`. The uncertainties of a knot add up, this clock's as `outer` stretches it. Knots
  /// that change nothing (on the line between their neighbours) are left out, so that composing offsets gives an
  /// offset.
  [[nodiscard]] Clock compose(const Clock& outer) const;

  [[nodiscard]] std::span<const ClockKnot> knots() const { return knots_; }

 private:
  explicit Clock(std::vector<ClockKnot> knots) : knots_(std::move(knots)) {}

  std::vector<ClockKnot> knots_;  // Invariant: not empty; from_ps and to_ps strictly increasing; uncertainty_ps >= 0.
};

// A Clock applied to many readings that lie close together, and taken back.

/// Remembers the segment of the last reading: O(1) for the next one if it lies in the same segment, O(log knots) else.
class ClockCursor {
 public:
  /// The knots must outlive the cursor and be those of a Clock.
  explicit ClockCursor(std::span<const ClockKnot> knots) : knots_(knots) {}

  struct Image {
    TimePs time = 0;
    bool is_first = true;  ///< no earlier reading has this image: first_preimage() gives this one back
  };
  /// The image as Clock::map gives it. Readings must lie within kMaxMomentPs, images may not leave the range of TimePs:
  /// see fits().
  Image map(TimePs t);
  /// The earliest reading whose image is `time` or later. Invariant: map(first_preimage(map(t).time)).time ==
  /// map(t).time.
  TimePs first_preimage(TimePs time);
  /// Whether all readings within kMaxMomentPs have images within twice of that, so that sums and differences of a few
  /// do not overflow.
  [[nodiscard]] bool fits() const;

 private:
  /// The stretch between two knots, or before the first or after the last, that holds the last reading on one side of
  /// the clock.
  struct Stretch {
    TimePs begin = 0, end = 0;  ///< readings in [begin, end); empty at first
    TimePs shift = 0;           ///< the image of `begin`, less `begin`
    std::uint64_t run = 1;      ///< its length on this side
    std::uint64_t rise = 1;     ///< and on the other
    double gain = 0;            ///< (rise - run) / run
  };
  enum class Side : std::uint8_t { from, to };

  void find(TimePs value, Side side, Stretch& stretch) const;

  std::span<const ClockKnot> knots_;
  Stretch forward_;
  Stretch backward_;
};

}  // namespace orrery::trace

// A Clock applied to many readings that lie close together, and taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"
#include "trace/clock.h"

namespace orrery::trace {

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

// A Clock applied to many readings that lie close together, and taken back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/clock.h"

namespace orrery::xspace {

/// Remembers the segment of the last reading: O(1) for the next one if it lies in the same segment, O(log knots) else.
class ClockCursor {
 public:
  /// The knots must outlive the cursor and be those of a Clock.
  explicit ClockCursor(std::span<const trace::ClockKnot> knots) : knots_(knots) {}

  struct Image {
    TimePs time = 0;
    bool is_first = true;  ///< no earlier reading has this image: first_preimage() gives this one back
  };
  /// The image as Clock::map gives it. Readings must lie within kMaxMomentPs, images may not leave the range of TimePs: see fits().
  Image map(TimePs t);
  /// The earliest reading whose image is `time` or later. Invariant: map(first_preimage(map(t).time)).time == map(t).time.
  TimePs first_preimage(TimePs time);
  /// Whether all readings within kMaxMomentPs have images within twice of that, so that sums and differences of a few do not overflow.
  [[nodiscard]] bool fits() const;

 private:
  void find_segment(TimePs value, TimePs trace::ClockKnot::*side);

  std::span<const trace::ClockKnot> knots_;
  std::ptrdiff_t segment_ = -2;  // knot before the last reading; -1: before the first knot; -2: nothing read
};

}  // namespace orrery::xspace

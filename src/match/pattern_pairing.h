// Which events of two nodes are the same, by the pattern of their intervals: what no offset between clocks can change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace orrery::match {

struct PatternEvent {
  TimePs at = 0;
  std::uint32_t token = 0;  ///< what it is: only beats with equal tokens may be the same. Numbered from 0 without gaps.
};

struct PatternPairing {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t>
      partner;              ///< by beat of the follower: its beat of the reference, or kNone. No partner appears twice.
  std::size_t unclear = 0;  ///< beats of the follower that fit in several ways about equally well, or in none
};

/// Both in order of time. The clocks may differ by anything, drift by 200 ppm and be set now and then; either side may
/// lack beats at its ends and in between. How it goes: take some beats in a row, and try every shift that puts one of
/// them on a beat of the reference; the best shifts are followed outwards, as far as they hold. One is taken only if
/// the next best fits clearly worse: evenly spaced steps look the same a step later, and then nothing is paired.
/// Deterministic; O(n log n) times a small constant, more where nothing fits.
PatternPairing pair_by_pattern(std::span<const PatternEvent> reference, std::span<const PatternEvent> follower);

}  // namespace orrery::match

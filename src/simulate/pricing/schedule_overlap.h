// How far two schedules of the same operations lie apart: whether prices that were taken from one still belong to the other.
#pragma once

#include "base/units.h"
#include "simulate/pricing/recording_model.h"

namespace orrery::simulate {

/// The most that the start of any operation moved. Operations of only one of the two are passed over.
TimePs largest_shift_ps(const Recording& before, const Recording& after);

/// 1 - |A and B| / |A or B|, A and B being whom an operation overlaps before and after; the mean over operations, of which at most
/// kMostCompared are looked at, evenly taken. 0 for operations that overlap nobody in either.
double overlap_mismatch(const Recording& before, const Recording& after);
inline constexpr std::size_t kMostCompared = 4096;

}  // namespace orrery::simulate

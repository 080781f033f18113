#include "analyze/diff/clock_change.h"

#include <algorithm>
#include <cmath>

namespace orrery::analyze {
namespace {

constexpr double kSameClock = 0.02;

}  // namespace

ClockChange clock_change(const RunDiff& diff, const causal::DeviceClock& a, const causal::DeviceClock& b) {
  ClockChange change{.a_mhz = a.mhz(),
                     .b_mhz = b.mhz(),
                     .explained = 0,
                     .explained_pct = 0,
                     .reasons = causal::reasons_in_words(b.reasons)};
  if (change.b_mhz <= 0 || std::abs(change.a_mhz - change.b_mhz) <= kSameClock * change.a_mhz) return change;
  const double longer = change.a_mhz / change.b_mhz - 1;
  double explained = 0;
  for (const ChangeCause& cause : diff.causes) {
    if (cause.kind != causal::EdgeKind::kernel || cause.a == 0 || cause.b == cause.a) continue;
    const double measured = static_cast<double>(cause.b - cause.a);
    const double by_clock = static_cast<double>(cause.a) * longer;
    // A kernel that became faster on a slower clock has other reasons.
    if (measured * by_clock <= 0) continue;
    explained += static_cast<double>(cause.contribution) * std::min(1.0, by_clock / measured);
  }
  change.explained = std::llround(explained);
  if (diff.change != 0) change.explained_pct = 100 * explained / static_cast<double>(diff.change);
  return change;
}

}  // namespace orrery::analyze

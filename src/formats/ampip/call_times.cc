#include "formats/ampip/call_times.h"

#include <algorithm>

#include "base/int128.h"

namespace orrery::ampip {

std::vector<TimePs> split_deltas(const std::vector<TimePs>& deltas, const TimeBounds& bounds) {
  std::vector<TimePs> most;  // per call, in ascending order: what it may take
  most.reserve(deltas.size());
  for (const TimePs delta : deltas) most.push_back(std::min(delta, std::max(bounds.max_ps, bounds.mean_ps)));
  const std::vector<TimePs> limits = most;
  std::sort(most.begin(), most.end());
  Int128 left = Int128{bounds.mean_ps} * static_cast<Int128>(deltas.size());
  TimePs level = most.empty() ? 0 : most.back();
  // Those that cannot reach the level take what they may; what they lack is shared by the others.
  for (std::size_t i = 0; i < most.size(); ++i) {
    const auto others = static_cast<Int128>(most.size() - i);
    if (Int128{most[i]} * others >= left) {
      level = static_cast<TimePs>(left / others);
      break;
    }
    left -= most[i];
  }
  std::vector<TimePs> times;
  times.reserve(limits.size());
  for (const TimePs limit : limits) times.push_back(std::min(limit, std::max(level, bounds.min_ps)));
  return times;
}

}  // namespace orrery::ampip

#include "simulate/engine/slowed_computing.h"

#include <algorithm>
#include <cmath>

#include "simulate/engine/program_plan.h"

namespace orrery::simulate {
namespace {

constexpr std::int64_t kOne = 1 << 20;
__extension__ using Wide = __int128;  // times reach 61 bits, which a slowdown multiplies

}  // namespace

SlowedComputing::SlowedComputing(double slowdown, std::size_t ranks, EndQueue& queue)
    : slowdown_(std::llround(slowdown * kOne)), ranks_(ranks), queue_(queue) {}

bool SlowedComputing::begin(RankActivity place, TimePs work_ps, TimePs now) {
  Rank& rank = ranks_[place.rank];
  work_until(rank, now);
  rank.running.push_back({place.activity, work_ps, 0});
  return predict(place.rank, rank.running.back());
}

bool SlowedComputing::exchanges_change(std::uint32_t number, int change, TimePs now) {
  Rank& rank = ranks_[number];
  work_until(rank, now);  // at the pace that was
  const bool was_slowed = rank.exchanges > 0;
  rank.exchanges += static_cast<std::uint32_t>(change);
  if (was_slowed == (rank.exchanges > 0)) return true;
  return std::all_of(rank.running.begin(), rank.running.end(), [&](Running& one) { return predict(number, one); });
}

bool SlowedComputing::ends(RankActivity place, TimePs now) {
  Rank& rank = ranks_[place.rank];
  return std::erase_if(rank.running,
                       [&](const Running& one) { return one.activity == place.activity && one.end_ps == now; }) > 0;
}

/// When it ends if nothing changes any more.
bool SlowedComputing::predict(std::uint32_t number, Running& one) {
  const Rank& rank = ranks_[number];
  const Wide takes = rank.exchanges > 0 ? (Wide{one.left_ps} * slowdown_ + kOne - 1) / kOne : Wide{one.left_ps};
  const Wide end = Wide{rank.since} + takes;
  if (end >= kMaxSimulatedPs) return false;
  one.end_ps = static_cast<TimePs>(end);
  queue_.push(one.end_ps, {number, one.activity});
  return true;
}

void SlowedComputing::work_until(Rank& rank, TimePs now) const {
  const TimePs passed = now - rank.since;
  rank.since = now;
  const TimePs done = rank.exchanges > 0 ? static_cast<TimePs>(Wide{passed} * kOne / slowdown_) : passed;
  for (Running& one : rank.running) one.left_ps = std::max<TimePs>(one.left_ps - done, 0);
}

}  // namespace orrery::simulate

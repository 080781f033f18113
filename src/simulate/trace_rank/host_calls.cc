#include "simulate/trace_rank/host_calls.h"

#include <algorithm>

namespace orrery::simulate {
namespace {

constexpr std::uint32_t kBeforeStart = kNone;  // launched before time 0

}  // namespace

Launches place_launches(const Schedule& schedule, std::uint64_t first, const RankLanes& lanes, const EffectiveSources& sources) {
  const auto end_of = [&](std::uint32_t i) { return schedule.end_ps[first + i]; };
  Launches launches{std::vector<TimePs>(lanes.lane_of.size(), 0), std::vector<std::uint32_t>(lanes.lane_of.size(), 0), 0};
  // What is launched together, in order: all that comes after the same host compute.
  std::vector<std::uint32_t> batch;
  std::uint32_t opener = kBeforeStart;
  const auto close_batch = [&] {
    const TimePs end = opener == kBeforeStart ? 0 : end_of(opener);
    const TimePs earliest = opener == kBeforeStart ? -kMaxSimulatedPs : schedule.start_ps[first + opener];
    TimePs time = end - kCallDistancePs * static_cast<TimePs>(batch.size());
    if (opener == kBeforeStart && !batch.empty()) launches.begin = time - 1;
    for (const std::uint32_t i : batch) {
      launches.time[i] = std::max(time, earliest);
      launches.lane[i] = opener == kBeforeStart ? 0 : lanes.lane_of[opener];
      time += kCallDistancePs;
    }
    batch.clear();
  };
  for (const std::uint32_t i : lanes.order) {
    if (sources.is_delay(i) || lanes.on_host(i)) continue;
    std::uint32_t latest = opener;
    sources.for_each(i, [&](std::uint32_t source) {
      if (lanes.on_host(source) && (latest == kBeforeStart || end_of(source) > end_of(latest))) latest = source;
    });
    if (latest != opener) close_batch();
    opener = latest;
    batch.push_back(i);
  }
  close_batch();
  return launches;
}

}  // namespace orrery::simulate

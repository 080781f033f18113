#include "simulate/trace_rank/host_calls.h"

#include <algorithm>

namespace orrery::simulate {
namespace {

constexpr std::uint32_t kBeforeStart = kNone;  // launched before time 0
constexpr std::uint32_t kSeveral = kNone - 1;  // works of one call: a graph

/// The last launch call that each device work comes after, if nothing else comes after that one.
std::vector<std::uint32_t> find_calls(const Schedule& schedule, std::uint64_t first, const RankLanes& lanes,
                                      const EffectiveSources& sources, const std::vector<std::uint8_t>& is_call) {
  std::vector<std::uint32_t> call_of(lanes.lane_of.size(), kNone), work_of(lanes.lane_of.size(), kNone);
  const auto end_of = [&](std::uint32_t i) { return schedule.end_ps[first + i]; };
  for (const std::uint32_t i : lanes.order) {
    if (sources.is_delay(i) || lanes.on_host(i)) continue;
    sources.for_each(i, [&](std::uint32_t source) {
      // In a call that takes no time there is no room for what is recorded between two of them.
      const bool may_launch = lanes.on_host(source) && is_call[source] != 0 &&
                              end_of(source) - schedule.start_ps[first + source] >= kCallDistancePs;
      if (may_launch && (call_of[i] == kNone || end_of(source) > end_of(call_of[i]))) call_of[i] = source;
    });
    if (call_of[i] == kNone) continue;
    std::uint32_t& work = work_of[call_of[i]];
    work = work == kNone ? i : kSeveral;
  }
  for (std::uint32_t i = 0; i < call_of.size(); ++i) {
    if (call_of[i] == kNone || lanes.on_host(i)) continue;
    if (work_of[call_of[i]] == i) call_of[call_of[i]] = call_of[i];
    else call_of[i] = kNone;
  }
  return call_of;
}

}  // namespace

bool is_launch_call(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!name.starts_with("cu") && !name.starts_with("hip")) return false;
  return (has("Launch") && !has("HostFunc")) || has("Memcpy") || has("Memset");
}

Launches place_launches(const Schedule& schedule, std::uint64_t first, const RankLanes& lanes,
                        const EffectiveSources& sources, const std::vector<std::uint8_t>& is_call) {
  const auto end_of = [&](std::uint32_t i) { return schedule.end_ps[first + i]; };
  Launches launches{std::vector<TimePs>(lanes.lane_of.size(), 0), std::vector<std::uint32_t>(lanes.lane_of.size(), 0),
                    0, find_calls(schedule, first, lanes, sources, is_call)};
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
    if (const std::uint32_t call = launches.call[i]; call != kNone) {
      launches.time[i] = schedule.start_ps[first + call];
      launches.lane[i] = lanes.lane_of[call];
      continue;
    }
    batch.push_back(i);
  }
  close_batch();
  return launches;
}

}  // namespace orrery::simulate

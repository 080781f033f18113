#include "causal/device/device_reach.h"

#include <algorithm>
#include <limits>

#include "base/int128.h"

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;

/// "cudaLaunchKernel", "cuGraphLaunch", "hipModuleLaunchKernel"; not cudaLaunchHostFunc, which starts nothing on a
/// device.
bool is_launch(std::string_view name) {
  return name.find("Launch") != std::string_view::npos && name.find("HostFunc") == std::string_view::npos;
}

std::uint64_t count_launches(const trace::Trace& trace, const trace::RankTrace& rank, const StepWindow& window) {
  Column<std::uint8_t> launches(trace.strings.size());
  for (StringId id = 0; id < launches.size(); ++id) launches[id] = is_launch(trace.strings.text(id));
  std::uint64_t count = 0;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (launches[rank.name[e]] == 0 || rank.activity(e) != Activity::runtime_call) continue;
    if (rank.start[e] >= window.host_begin && rank.start[e] < window.host_end) ++count;
  }
  return count;
}

TimePs capped(Int128 sum) { return static_cast<TimePs>(std::min<Int128>(sum, std::numeric_limits<TimePs>::max())); }

}  // namespace

void DeviceReach::add(const DeviceReach& other) {
  busy = capped(Int128{busy} + other.busy);
  worked = capped(Int128{worked} + other.worked);
  launched = capped(Int128{launched} + other.launched);
  works += other.works;
  launches += other.launches;
  is_of_tpus = is_of_tpus || other.is_of_tpus;
}

DeviceReach find_device_reach(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                              const StepWindow& window) {
  DeviceReach reach;
  std::vector<std::uint8_t> is_reached(timeline.works.size(), 0);
  for (const auto& queue : timeline.by_queue) {
    bool reached = false;
    for (const std::uint32_t w : queue) is_reached[w] = reached = reached || timeline.works[w].call != kNoEvent;
  }
  Int128 worked = 0, launched = 0;
  TimePs until = window.begin;  // up to where some device was busy, of the works so far
  for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
    const TimePs start = std::max(timeline.works[w].start, window.begin),
                 end = std::min(timeline.works[w].end, window.end);
    if (start >= end) continue;
    ++reach.works;
    worked += end - start;
    if (is_reached[w] != 0) launched += end - start;
    reach.busy += std::max<TimePs>(0, end - std::max(start, until));
    until = std::max(until, end);
  }
  reach.worked = capped(worked), reach.launched = capped(launched);
  const std::vector<trace::Device>& devices = rank.source.devices;  // "TPU v6 Lite"
  reach.is_of_tpus = std::any_of(devices.begin(), devices.end(),
                                 [](const trace::Device& device) { return device.name.starts_with("TPU"); });
  if (reach.works == 0) reach.launches = count_launches(trace, rank, window);
  return reach;
}

}  // namespace orrery::causal

// The time of each device, cut wherever the types of work that run on it change. Private to src/analyze.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analyze/device/device_rank.h"

namespace orrery::analyze {

/// [begin, end) of a device, longer than nothing.
struct Stretch {
  std::uint32_t device = 0;  ///< place in DeviceRank::devices
  TimePs begin = 0;
  TimePs end = 0;
  std::uint8_t types = 0;  ///< a bit per WorkType of which work runs on any stream; 0: the device is idle
  std::uint32_t next = 0;  ///< of idle time: the work that ends it, which may lie behind the window; kNoWork: none does
};

/// Calls on_stretch for each stretch of the window, those of one device in order of time and without gaps: their
/// lengths add up to the window, however much work runs at the same time. O(works).
template <typename OnStretch>
void sweep_devices(const DeviceRank& devices, OnStretch&& on_stretch) {
  struct State {
    std::array<std::int64_t, kWorkTypes> running = {};
    TimePs since = 0;
  };
  std::vector<State> states(devices.devices.size(), State{{}, devices.window.begin});
  const auto emit = [&](std::uint32_t device, TimePs time, std::uint32_t next) {
    State& state = states[device];
    const TimePs until = std::clamp(time, devices.window.begin, devices.window.end);
    if (until <= state.since) return;
    std::uint8_t types = 0;
    for (std::size_t t = 0; t < kWorkTypes; ++t)
      types |= static_cast<std::uint8_t>((state.running[t] > 0 ? 1U : 0U) << t);
    on_stretch(Stretch{device, state.since, until, types, next});
    state.since = until;
  };
  const auto& works = devices.timeline.works;
  const auto& by_end = devices.timeline.by_end;
  for (std::size_t started = 0, ended = 0; ended < works.size();) {
    // Of work that takes no time the end is counted before its start: nothing is looked at in between.
    const bool is_end = started == works.size() || works[by_end[ended]].end <= works[started].start;
    const std::uint32_t work = is_end ? by_end[ended++] : static_cast<std::uint32_t>(started++);
    const std::uint32_t device = devices.device_of(work);
    emit(device, is_end ? works[work].end : works[work].start, work);
    states[device].running[static_cast<std::size_t>(devices.types[work])] += is_end ? -1 : 1;
  }
  for (std::uint32_t device = 0; device < states.size(); ++device) emit(device, devices.window.end, causal::kNoWork);
}

}  // namespace orrery::analyze

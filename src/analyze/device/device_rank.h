// What the devices of one rank did in a window: the common ground of breakdown, kernels, launches and memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/device/communicating_works.h"
#include "causal/device/device_timeline.h"
#include "causal/step_window.h"
#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// What a piece of device work is for. Copies and sets are told by their category, never by a name: a kernel may be
/// called "dma".
enum class WorkType : std::uint8_t { computation, communication, memory_copy, memory_set };
inline constexpr std::size_t kWorkTypes = 4;
const char* identifier(WorkType type);  ///< "memory_copy"
const char* to_string(WorkType type);   ///< "memory copy"

/// Whether it is work of the step or annotation: launched while that lasted, or, where the launch was not recorded,
/// started then. What counts work goes by this, and takes all the time that the work took: the same in every table,
/// and in SQL (events.step). Work of a step may run while the work of the one before does, and so outside of the
/// window, on another stream.
inline bool belongs(const causal::StepWindow& window, const causal::DeviceWork& work) {
  const TimePs at = causal::attributed_at(work);
  return window.is_whole_trace || (at >= window.host_begin && at < window.host_end);
}

/// A rank without device work has no devices; it is no error. Refers to the job it was made of.
struct DeviceRank {
  const trace::Trace* trace = nullptr;
  const trace::RankTrace* rank = nullptr;
  trace::ContentOrder content;
  causal::DeviceTimeline timeline;
  causal::StepWindow window;
  std::vector<std::int64_t> devices;           ///< numbers, ascending
  std::vector<std::uint32_t> device_of_queue;  ///< place in `devices`
  std::vector<WorkType> types;                 ///< per work
  causal::WorkCommunications communication;    ///< what of it communicates, and how
  std::vector<trace::EventIndex>
      operators;  ///< per work: the innermost operator around its launch, kNoEvent: none; empty: not looked for
  std::vector<trace::EventIndex>
      operator_around;  ///< per event: see causal::launching_operators; empty unless operators were asked for

  /// Whether it is work of the window.
  [[nodiscard]] bool belongs(std::uint32_t work) const { return analyze::belongs(window, timeline.works[work]); }
  [[nodiscard]] TimePs time_of(std::uint32_t work) const {
    return timeline.works[work].end - timeline.works[work].start;
  }
  /// Work of which some lies in the window, or, where it takes no time, its moment; whoever launched it. What divides
  /// time goes by this.
  [[nodiscard]] bool in_window(std::uint32_t work) const {
    const causal::DeviceWork& w = timeline.works[work];
    // A moment at the end of a step is the next one's; nothing comes after the whole trace.
    if (w.start == w.end)
      return w.start >= window.begin && (w.start < window.end || (window.is_whole_trace && w.start == window.end));
    return w.start < window.end && w.end > window.begin;
  }
  [[nodiscard]] std::uint32_t device_of(std::uint32_t work) const {
    return device_of_queue[timeline.works[work].queue];
  }
  [[nodiscard]] StringId name_of(std::uint32_t work) const { return rank->name[timeline.works[work].event]; }
};

/// `with_operators`: the operator of each launch is asked for; without, it is looked for only where communication may
/// be told by it. Fails as causal::choose_window does.
Result<DeviceRank> look_at_devices(const trace::Trace& trace, const trace::RankTrace& rank,
                                   const causal::WindowRequest& request, bool with_operators, Diagnostics& diagnostics);

/// The same of all ranks, side by side, in their order. The first that fails is told.
Result<std::vector<DeviceRank>> look_at_devices(const trace::Trace& trace, const causal::WindowRequest& request,
                                                bool with_operators, Diagnostics& diagnostics);

/// Whether any rank has device work in its window.
bool any_device_work(const std::vector<DeviceRank>& ranks);

// The time of each device, cut wherever the types of work that run on it change. Private to src/analyze.

/// [begin, end) of a device, longer than nothing.
struct Stretch {
  std::uint32_t device = 0;  ///< place in DeviceRank::devices
  TimePs begin = 0;
  TimePs end = 0;
  std::uint8_t types = 0;  ///< a bit per WorkType of which work runs on any stream; 0: the device is idle
  std::uint32_t next = 0;  ///< of idle time: the work that ends it, which may lie behind the window; kNoWork: none does
};

/// As if there were no work but that of `by_end`: numbers of works in order of end. `by_start`: which of them starts
/// first, second and so on.
template <typename ByStart, typename OnStretch>
void sweep_works(const DeviceRank& devices, ByStart&& by_start, std::span<const std::uint32_t> by_end,
                 OnStretch&& on_stretch) {
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
  for (std::size_t started = 0, ended = 0; ended < by_end.size();) {
    // Of work that takes no time the end is counted before its start: nothing is looked at in between.
    const bool is_end = started == by_end.size() || works[by_end[ended]].end <= works[by_start(started)].start;
    const std::uint32_t work = is_end ? by_end[ended++] : by_start(started++);
    const std::uint32_t device = devices.device_of(work);
    emit(device, is_end ? works[work].end : works[work].start, work);
    states[device].running[static_cast<std::size_t>(devices.types[work])] += is_end ? -1 : 1;
  }
  for (std::uint32_t device = 0; device < states.size(); ++device) emit(device, devices.window.end, causal::kNoWork);
}

/// Calls on_stretch for each stretch of the window, those of one device in order of time and without gaps: their
/// lengths add up to the window, however much work runs at the same time. O(works).
template <typename OnStretch>
void sweep_devices(const DeviceRank& devices, OnStretch&& on_stretch) {
  // Works of a timeline are numbered by their start.
  sweep_works(
      devices, [](std::size_t place) { return static_cast<std::uint32_t>(place); }, devices.timeline.by_end,
      std::forward<OnStretch>(on_stretch));
}

}  // namespace orrery::analyze

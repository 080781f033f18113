#include "analyze/capture/launch_gaps.h"

#include <algorithm>
#include <map>

#include "causal/step_window.h"

// Idle stretches of each device, cut as breakdown cuts them, are given to the launch in whose gap they lie: stretches
// and launches of a device are both in order of time.

namespace orrery::analyze {
namespace {

struct Span {
  TimePs begin = 0, end = 0;
};

/// From the start of the first work to the end of the last, and how long any of them runs.
std::pair<Span, TimePs> span_of(const DeviceRank& devices, std::span<const std::uint32_t> works) {
  const auto& all_works = devices.timeline.works;
  std::vector<std::uint32_t> by_start;
  // In the order of their nodes works mostly start one after the other; those of a timeline are numbered by start.
  if (!std::is_sorted(works.begin(), works.end())) {
    by_start.assign(works.begin(), works.end());
    std::sort(by_start.begin(), by_start.end());
    works = by_start;
  }
  Span all{all_works[works.front()].start, all_works[works.front()].start};
  TimePs busy = 0;
  for (const std::uint32_t w : works) {
    const causal::DeviceWork& work = all_works[w];
    busy += std::max<TimePs>(0, work.end - std::max(all.end, work.start));
    all.end = std::max(all.end, work.end);
  }
  return {all, busy};
}

/// How long of an idle stretch the call that launches what ends it had not been entered. What the call itself takes is
/// the launch, not the host's being late: of a graph's it is most of the wait.
TimePs wait_for_call(const DeviceRank& devices, const Stretch& stretch) {
  if (stretch.next == causal::kNoWork) return 0;
  const causal::DeviceWork& work = devices.timeline.works[stretch.next];
  // A call that begins after its work is a clock that was corrected in between: it says nothing about the gap.
  if (work.call == causal::kNoEvent || work.call_start > work.start) return 0;
  return std::clamp(work.call_start, stretch.begin, stretch.end) - stretch.begin;
}

}  // namespace

std::vector<LaunchGap> launch_gaps(const DeviceRank& devices, const GraphLaunches& graphs) {
  std::vector<LaunchGap> gaps;
  std::map<std::int64_t, std::vector<std::uint32_t>> by_device;
  std::vector<Span> spans;
  const std::vector<trace::EventIndex> steps = causal::find_steps(*devices.trace, *devices.rank, devices.content);
  for (std::uint32_t l = 0; l < graphs.launches.size(); ++l) {
    const GraphLaunch& launch = graphs.launches[l];
    std::vector<std::uint32_t>& of_device = by_device[launch.device];
    const auto [span, busy] = span_of(devices, graphs.works_of(launch));
    LaunchGap gap{.launch = l,
                  .number = static_cast<std::int64_t>(of_device.size()),
                  .span = span.end - span.begin,
                  .busy = busy};
    if (!of_device.empty()) gap.gap = span.begin - spans[of_device.back()].end;
    const TimePs called = devices.rank->start[launch.call];
    // Steps are by start, and those of one thread do not overlap: the last that began before the call.
    const auto after = std::upper_bound(steps.begin(), steps.end(), called, [&](TimePs t, trace::EventIndex step) {
      return t < devices.rank->start[step];
    });
    if (after != steps.begin() && called < devices.rank->end(*(after - 1)))
      gap.step = static_cast<std::int64_t>(after - steps.begin()) - 1;
    of_device.push_back(l);
    spans.push_back(span);
    gaps.push_back(std::move(gap));
  }
  const HostHistory history(devices);
  std::vector<HostWaitCauses> causes(gaps.size());
  std::map<std::int64_t, std::size_t> next_launch;  // of each device: the one whose gap is looked for
  sweep_devices(devices, [&](const Stretch& stretch) {
    const std::int64_t device = devices.devices[stretch.device];
    const auto of_device = by_device.find(device);
    if (of_device == by_device.end()) return;
    const std::vector<std::uint32_t>& launches = of_device->second;
    std::size_t& at = next_launch.try_emplace(device, 1).first->second;
    while (at < launches.size() && spans[launches[at]].begin <= stretch.begin) ++at;
    if (at >= launches.size() || stretch.begin < spans[launches[at - 1]].end || stretch.end > spans[launches[at]].begin)
      return;
    LaunchGap& gap = gaps[launches[at]];
    if (stretch.types != 0) {
      gap.other_works += stretch.end - stretch.begin;
      return;
    }
    gap.idle += stretch.end - stretch.begin;
    const TimePs waited = wait_for_call(devices, stretch);
    gap.host_wait += waited;
    if (waited > 0) history.walk(stretch.begin, stretch.begin + waited, stretch.next, causes[launches[at]]);
  });
  for (std::size_t l = 0; l < causes.size(); ++l) gaps[l].causes = causes[l].take(devices);
  return gaps;
}

}  // namespace orrery::analyze

#include "analyze/capture/launch_gaps.h"

#include <algorithm>
#include <tuple>
#include <utility>

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
  Span all{all_works[works.front()].start, all_works[works.front()].start};
  TimePs busy = 0;
  std::uint32_t last = works.front();
  for (const std::uint32_t w : works) {
    if (w < last) {
      // In the order of their nodes works mostly start one after the other; those of a timeline are numbered by start.
      std::vector<std::uint32_t> by_start(works.begin(), works.end());
      std::sort(by_start.begin(), by_start.end());
      return span_of(devices, by_start);
    }
    last = w;
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

/// The launches of one device, in order, and between which of its works their gaps lie.
struct DeviceLaunches {
  std::vector<std::uint32_t> launches;
  std::vector<Span> gaps;  ///< in order of time, apart from one another
  std::size_t next = 1;    ///< the launch whose gap is looked for
  std::size_t next_gap = 0;
};

void find_gaps(const std::vector<Span>& spans, DeviceLaunches& device) {
  for (std::size_t i = 1; i < device.launches.size(); ++i) {
    const Span gap{spans[device.launches[i - 1]].end, spans[device.launches[i]].begin};
    if (gap.begin < gap.end) device.gaps.push_back(gap);
  }
  std::sort(device.gaps.begin(), device.gaps.end(),
            [](const Span& a, const Span& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  // Launches on several streams overlap; what lies in two gaps is looked at once.
  std::size_t kept = 0;
  for (const Span& gap : device.gaps) {
    if (kept > 0 && gap.begin <= device.gaps[kept - 1].end)
      device.gaps[kept - 1].end = std::max(device.gaps[kept - 1].end, gap.end);
    else device.gaps[kept++] = gap;
  }
  device.gaps.resize(kept);
}

/// Calls on_stretch for the time of devices cut by what runs in gaps, or begins or ends there: nearly all work is below
/// launches, and says nothing about the time between them.
template <typename OnStretch>
void sweep_gaps(const DeviceRank& devices, std::vector<DeviceLaunches>& launched, OnStretch&& on_stretch) {
  const auto& works = devices.timeline.works;
  std::vector<std::uint32_t> by_start, by_end;
  std::vector<std::uint8_t> is_at_gap(works.size(), 0);
  for (std::uint32_t w = 0; w < works.size(); ++w) {
    DeviceLaunches& device = launched[devices.device_of(w)];
    std::size_t& at = device.next_gap;
    while (at < device.gaps.size() && device.gaps[at].end < works[w].start) ++at;
    if (at == device.gaps.size() || device.gaps[at].begin > works[w].end) continue;
    is_at_gap[w] = 1;
    by_start.push_back(w);
  }
  by_end.reserve(by_start.size());
  for (const std::uint32_t w : devices.timeline.by_end) {
    if (is_at_gap[w] != 0) by_end.push_back(w);
  }
  sweep_works(
      devices, [&](std::size_t place) { return by_start[place]; }, by_end, std::forward<OnStretch>(on_stretch));
}

}  // namespace

std::vector<LaunchGap> launch_gaps(const DeviceRank& devices, const GraphLaunches& graphs) {
  std::vector<LaunchGap> gaps;
  std::vector<DeviceLaunches> launched(devices.devices.size());
  std::vector<Span> spans;
  const std::vector<trace::EventIndex> steps = causal::find_steps(*devices.trace, *devices.rank, devices.content);
  for (std::uint32_t l = 0; l < graphs.launches.size(); ++l) {
    const GraphLaunch& launch = graphs.launches[l];
    const auto place = std::lower_bound(devices.devices.begin(), devices.devices.end(), launch.device);
    std::vector<std::uint32_t>& of_device =
        launched[static_cast<std::size_t>(place - devices.devices.begin())].launches;
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
  for (DeviceLaunches& device : launched) find_gaps(spans, device);
  sweep_gaps(devices, launched, [&](const Stretch& stretch) {
    const std::vector<std::uint32_t>& launches = launched[stretch.device].launches;
    if (launches.empty()) return;
    std::size_t& at = launched[stretch.device].next;
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

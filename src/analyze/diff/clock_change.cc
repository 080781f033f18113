#include "analyze/diff/clock_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analyze/device/device_rank.h"

namespace orrery::analyze {
namespace {

constexpr double kSameClock = 0.02;

bool is_clock(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"clocks.current.sm", "clocks.sm", "SM Clock (MHz)",
                                                      "DCGM_FI_DEV_SM_CLOCK"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_reason(std::string_view name) {
  return name == "clocks_event_reasons.active" || name == "clocks_throttle_reasons.active";
}

struct Samples {
  std::vector<std::pair<TimePs, double>> values;

  void sort() {
    std::stable_sort(values.begin(), values.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  }
  /// The sum of value x time over [begin, end), and the part of it that is known.
  void add_over(TimePs begin, TimePs end, double& sum, double& known) const {
    auto at = std::upper_bound(values.begin(), values.end(), begin,
                               [](TimePs time, const auto& sample) { return time < sample.first; });
    if (at != values.begin()) --at;
    for (; at != values.end() && at->first < end; ++at) {
      const TimePs from = std::max(begin, at->first);
      const TimePs until = at + 1 == values.end() ? end : std::min(end, (at + 1)->first);
      if (until <= from) continue;
      sum += at->second * static_cast<double>(until - from);
      known += static_cast<double>(until - from);
    }
  }
};

}  // namespace

std::optional<DeviceClock> device_clock(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines,
                                        std::span<const causal::StepWindow> windows) {
  double sum = 0, known = 0;
  std::uint64_t reasons = 0;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const trace::Counters& counters = trace.ranks[r].counters;
    std::map<std::int64_t, Samples> clocks, masks;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      const std::string_view name = trace.strings.text(counters.name[i]);
      if (is_clock(name)) clocks[counters.device[i]].values.emplace_back(counters.time[i], counters.value[i]);
      if (is_reason(name)) masks[counters.device[i]].values.emplace_back(counters.time[i], counters.value[i]);
    }
    for (auto& [device, samples] : clocks) samples.sort();
    if (clocks.empty()) continue;
    TimePs first = windows[r].end, last = windows[r].begin;
    for (const causal::DeviceWork& work : timelines[r].works) {
      if (!belongs(windows[r], work)) continue;
      const auto of_device = clocks.find(timelines[r].queues[work.queue].device);
      if (of_device == clocks.end()) continue;
      of_device->second.add_over(work.start, work.end, sum, known);
      first = std::min(first, work.start), last = std::max(last, work.end);
    }
    for (const auto& [device, samples] : masks) {
      for (const auto& [time, mask] : samples.values) {
        if (time >= first && time < last) reasons |= static_cast<std::uint64_t>(mask);
      }
    }
  }
  if (known <= 0) return std::nullopt;
  return DeviceClock{sum / known, reasons};
}

ClockChange clock_change(const RunDiff& diff, const DeviceClock& a, const DeviceClock& b) {
  ClockChange change{.a_mhz = a.mhz, .b_mhz = b.mhz, .explained = 0, .explained_pct = 0, .reasons = {}};
  // What nvidia-smi calls clocks_event_reasons; the first, that there is nothing to do, holds no kernel back.
  constexpr std::array<std::string_view, 8> kReasons = {"applications clocks",      "software power cap",
                                                        "hardware slowdown",        "sync boost",
                                                        "software thermal slowdown", "hardware thermal slowdown",
                                                        "power brake",              "display clocks"};
  for (std::size_t bit = 0; bit < kReasons.size(); ++bit) {
    if ((b.reasons >> (bit + 1) & 1) != 0) change.reasons.emplace_back(kReasons[bit]);
  }
  if (b.mhz <= 0 || std::abs(a.mhz - b.mhz) <= kSameClock * a.mhz) return change;
  const double longer = a.mhz / b.mhz - 1;
  double explained = 0;
  for (const ChangeCause& cause : diff.causes) {
    if (cause.kind != causal::EdgeKind::kernel || cause.a == 0 || cause.b == cause.a) continue;
    const double measured = static_cast<double>(cause.b - cause.a);
    const double by_clock = static_cast<double>(cause.a) * longer;
    if (measured * by_clock <= 0) continue;
    explained += static_cast<double>(cause.contribution) * std::min(1.0, by_clock / measured);
  }
  change.explained = std::llround(explained);
  if (diff.change != 0) change.explained_pct = 100 * explained / static_cast<double>(diff.change);
  return change;
}

}  // namespace orrery::analyze

#include "causal/device/device_clock.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

namespace orrery::causal {
namespace {

// As nvidia-smi, PyTorch's traces, DCGM and `dcgmi dmon` call it.
bool is_clock(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"clocks.current.sm", "clocks.sm", "SM Clock (MHz)",
                                                      "DCGM_FI_DEV_SM_CLOCK", "SMCLK"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_reason(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"clocks_event_reasons.active", "clocks_throttle_reasons.active",
                                                      "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DVCCTR"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

struct Samples {
  std::vector<std::pair<TimePs, double>> values;

  void sort() { std::sort(values.begin(), values.end()); }
  /// What is known of [begin, end): before the first sample nothing is.
  void add_over(TimePs begin, TimePs end, DeviceClock& clock) const {
    auto at = std::upper_bound(values.begin(), values.end(), begin,
                               [](TimePs time, const auto& sample) { return time < sample.first; });
    if (at != values.begin()) --at;
    for (; at != values.end() && at->first < end; ++at) {
      const TimePs from = std::max(begin, at->first);
      const TimePs until = at + 1 == values.end() ? end : std::min(end, (at + 1)->first);
      if (until <= from) continue;
      clock.mhz_ps += at->second * static_cast<double>(until - from);
      clock.known_ps += static_cast<double>(until - from);
    }
  }
};

/// Values beyond what a mask can be are no mask.
std::uint64_t mask_of(double value) { return value >= 0 && value < 0x1p53 ? static_cast<std::uint64_t>(value) : 0; }

}  // namespace

DeviceClock find_device_clock(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                              const StepWindow& window) {
  DeviceClock clock;
  const trace::Counters& counters = rank.counters;
  std::map<std::int64_t, Samples> clocks;
  std::vector<std::pair<TimePs, std::uint64_t>> masks;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const std::string_view name = trace.strings.text(counters.name[i]);
    if (is_clock(name)) clocks[counters.device[i]].values.emplace_back(counters.time[i], counters.value[i]);
    if (is_reason(name)) masks.emplace_back(counters.time[i], mask_of(counters.value[i]));
  }
  if (clocks.empty()) return clock;
  for (auto& [device, samples] : clocks) samples.sort();
  TimePs first = std::numeric_limits<TimePs>::max(), last = std::numeric_limits<TimePs>::min();
  for (const DeviceWork& work : timeline.works) {
    const TimePs at = attributed_at(work);
    if (!window.is_whole_trace && (at < window.host_begin || at >= window.host_end)) continue;
    const auto of_device = clocks.find(timeline.queues[work.queue].device);
    if (of_device == clocks.end()) continue;
    of_device->second.add_over(work.start, work.end, clock);
    first = std::min(first, work.start), last = std::max(last, work.end);
  }
  for (const auto& [time, mask] : masks) {
    if (time >= first && time < last) clock.reasons |= mask;
  }
  return clock;
}

std::vector<std::string> reasons_in_words(std::uint64_t reasons) {
  // From bit 1 on: bit 0 says that the device is idle, which holds no kernel back.
  constexpr std::array<std::string_view, 8> kReasons = {
      "applications clocks",       "software power cap",        "hardware slowdown", "sync boost",
      "software thermal slowdown", "hardware thermal slowdown", "power brake",       "display clocks"};
  std::vector<std::string> words;
  for (std::size_t bit = 0; bit < kReasons.size(); ++bit) {
    if ((reasons >> (bit + 1) & 1) != 0) words.emplace_back(kReasons[bit]);
  }
  return words;
}

}  // namespace orrery::causal

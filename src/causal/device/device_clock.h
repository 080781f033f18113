// How fast the devices of a rank were clocked while they worked, by counters that were recorded beside the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causal/device/device_timeline.h"
#include "causal/step_window.h"
#include "trace/trace.h"

namespace orrery::causal {

/// Added up over device work, so that those of several ranks or steps can be added as well.
struct DeviceClock {
  double mhz_ps = 0;          ///< the clock of the multiprocessors, times how long it was so
  double known_ps = 0;        ///< for how long of the work it is known
  std::uint64_t reasons = 0;  ///< why it was held down, of all samples meanwhile: bits as NVML has them

  [[nodiscard]] bool is_known() const { return known_ps > 0; }
  [[nodiscard]] double mhz() const { return is_known() ? mhz_ps / known_ps : 0; }
  void add(const DeviceClock& other) {
    mhz_ps += other.mhz_ps, known_ps += other.known_ps;
    reasons |= other.reasons;
  }
};

/// Of the work that was launched in the window. A sample holds until the next.
DeviceClock find_device_clock(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                              const StepWindow& window);

/// {"software power cap"}: what each bit means; that there is nothing to do is none.
std::vector<std::string> reasons_in_words(std::uint64_t reasons);

}  // namespace orrery::causal

// Whether what the devices did can be on the path of a window at all.
//
// Device work is tied to the host by the call that launched it. Where the recorder left that out, or left out the
// device's part, the longest path is the host's whatever bounds the job, and a verdict would blame the host for time in
// which it may have waited.
#pragma once

#include <cstdint>

#include "causal/device/device_timeline.h"
#include "causal/step_window.h"

namespace orrery::causal {

/// What of the devices the window can say something about.
struct DeviceReach {
  TimePs busy = 0;             ///< time of the window in which some device worked
  TimePs worked = 0;           ///< the devices' work in the window, all added up
  TimePs launched = 0;         ///< the part of that whose launch was recorded, or that follows such work on its stream
  std::uint64_t works = 0;     ///< kernels, copies and fills in the window
  std::uint64_t launches = 0;  ///< launch calls in the window; counted only where there is no work
  bool is_of_tpus = false;     ///< the devices are TPUs

  void add(const DeviceReach& other);

  /// Devices worked, and less than a tenth of that can be reached from the host.
  [[nodiscard]] bool is_unreachable() const { return worked > 0 && launched < worked / 10; }
  /// The host launched work, and none of any device was recorded.
  [[nodiscard]] bool is_missing() const { return works == 0 && launches > 0; }
  /// What the devices are called.
  [[nodiscard]] const char* device_type() const { return is_of_tpus ? "TPU" : "GPU"; }
  /// "complete", "no_launches" or "no_device_work": for programs.
  [[nodiscard]] const char* identifier() const {
    return is_unreachable() ? "no_launches" : is_missing() ? "no_device_work" : "complete";
  }
};

DeviceReach find_device_reach(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                              const StepWindow& window);

}  // namespace orrery::causal

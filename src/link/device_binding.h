// Why device work started when it did: its launch, the work before it on its stream, or work of another stream it waited for.
#pragma once

#include <vector>

#include "link/device_timeline.h"
#include "link/edge_kind.h"
#include "link/step_window.h"

namespace orrery::link {

/// Something that had to come first, and the least time between it and the start.
struct StartCause {
  std::uint32_t work;  ///< the work whose end (or start, see from_start) it is; kNoWork: the launch call
  bool from_start;     ///< two pieces of work of one stream that overlap: the later one only had to wait for the start of the earlier
  EdgeKind kind;
  TimePs time;   ///< when it happened
  TimePs delay;  ///< for the cause that bound: start - time; for others the typical delay of their kind, if that fits
};

class DeviceBinding {
 public:
  DeviceBinding(const DeviceTimeline& timeline, const StepWindow& window);

  /// Work that ends in the window, or runs into it. Work that goes on after its end was not waited for by anything in it.
  [[nodiscard]] bool takes_part(std::uint32_t work) const;
  /// Never empty: what is not explained otherwise follows from the begin of the window. The first one is the one that bound.
  [[nodiscard]] std::vector<StartCause> causes(std::uint32_t work) const;

  [[nodiscard]] TimePs typical_launch_delay() const { return launch_delay_; }
  [[nodiscard]] TimePs typical_kernel_gap() const { return kernel_gap_; }

 private:
  void measure_typical_delays();
  [[nodiscard]] StartCause cause_of(std::uint32_t before, std::uint32_t work, EdgeKind kind) const;
  /// Work of another stream of the same device that ended just before `work` started, later than `after`; kNoWork if there is none.
  [[nodiscard]] std::uint32_t ended_just_before(std::uint32_t work, TimePs after) const;

  const DeviceTimeline& timeline_;
  const StepWindow& window_;
  std::vector<std::uint32_t> previous_;            // per work: the one before it on its stream, kNoWork at the front
  std::vector<std::vector<std::uint32_t>> waits_;  // per work: recorded waits
  TimePs launch_delay_ = 0;
  TimePs kernel_gap_ = 0;
};

}  // namespace orrery::link

// Why device work started when it did: its launch, the work before it on its stream, work of another stream it waited
// for, or a kernel of another stream that left it no room.
//
// A launch counts from where the device came to know of the work (see Submission): what a call does before that is the
// call's own time.
//
// A device that is full: nothing records that a kernel had to wait for room. A kernel that computes, could have started
// more than 20 us earlier, and started while one of another stream was in the second half of its run, is taken to have
// started when that kernel made room: blocks of a kernel are given out before those of a later one, so that room comes
// when the last of them are running. Kernels of communication libraries take a few multiprocessors and make nobody
// wait. Where the guess is wrong, time for which there is no recorded cause counts as that kernel's.
//
// Work from before the recording: streams run in order. The first recorded work of a stream that starts more than
// 100 us after its call had returned, without another stream's work that it could have waited for, was queued behind
// something that was launched before the recording began. Until then the stream was occupied. The host of such a
// recording is ahead of its device: the work waits for longer than the recording had lasted when it was launched. A
// stream that is first used later, and is late by a little, says nothing about what was before.
#pragma once

#include <vector>

#include "causal/device/device_timeline.h"
#include "causal/edge_kind.h"
#include "causal/step_window.h"

namespace orrery::causal {

/// Something that had to come first, and the least time between it and the start.
struct StartCause {
  std::uint32_t work;  ///< the work whose end (or start, see from_start) it is; kNoWork: the launch call
  bool from_start;  ///< the work goes on beside this one: of one stream, where the later one only had to wait for its
                    ///< start, or the kernel that filled the device
  EdgeKind kind;  ///< cpu_runtime, memory_copy: the call was still at it; kernel: the other work's, until it made room;
                  ///< earlier_work: from the begin of the window
  TimePs time;    ///< when it happened
  TimePs delay;   ///< for the cause that bound: start - time; for others the typical delay of their kind, if that fits
};

class DeviceBinding {
 public:
  DeviceBinding(const DeviceTimeline& timeline, const StepWindow& window);

  /// Work that ends in the window, or runs into it. Work that goes on after its end was not waited for by anything in
  /// it.
  [[nodiscard]] bool takes_part(std::uint32_t work) const;
  /// Never empty: what is not explained otherwise follows from the begin of the window. The first one is the one that
  /// bound.
  [[nodiscard]] std::vector<StartCause> causes(std::uint32_t work) const;

  /// Until when the queue was at work from before the recording; the begin of the window where it was not.
  [[nodiscard]] TimePs occupied_until(std::uint32_t queue) const;

  [[nodiscard]] TimePs typical_launch_delay() const { return launch_delay_; }
  [[nodiscard]] TimePs typical_kernel_gap() const { return kernel_gap_; }

 private:
  void measure_typical_delays();
  [[nodiscard]] StartCause cause_of(std::uint32_t before, std::uint32_t work, EdgeKind kind) const;
  /// Work of another stream of the same device that ended just before `work` started, later than `after`; kNoWork if
  /// there is none.
  [[nodiscard]] std::uint32_t ended_just_before(std::uint32_t work, TimePs after) const;
  /// The kernel of another stream that left no room for `work` until it started; kNoWork if there is none.
  [[nodiscard]] std::uint32_t filled_device(std::uint32_t work) const;
  /// Whether it is the first of its stream and was launched long before it started, as the recording goes; what else
  /// may have held it is asked before.
  [[nodiscard]] bool follows_earlier_work(std::uint32_t work) const;
  [[nodiscard]] StartCause cause_of_launch(const DeviceWork& work) const;

  const DeviceTimeline& timeline_;
  const StepWindow& window_;
  std::vector<std::uint32_t> previous_;            // per work: the one before it on its stream, kNoWork at the front
  std::vector<std::vector<std::uint32_t>> waits_;  // per work: recorded waits
  TimePs launch_delay_ = 0;                        // from the return of the call
  TimePs entry_delay_ = 0;                         // from its entry, where nothing better is known
  TimePs kernel_gap_ = 0;
};

}  // namespace orrery::causal

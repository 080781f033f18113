// The stretch of time under analysis: one step, one annotated range, or the whole trace.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "base/units.h"
#include "causal/device/device_timeline.h"

namespace orrery::causal {

struct WindowRequest {
  std::optional<std::string>
      annotation;  ///< host events whose name contains this; "" is the whole trace; none: a typical step
  std::optional<std::size_t> first_instance;
  std::optional<std::size_t> last_instance;
};

/// Which of some steps is typical: the lower median of their spans, without the first and the last, which often carry
/// the profiler's own start and stop.
struct TypicalStep {
  std::size_t place = 0;
  std::string why;  ///< "the median of 5 inner steps"
};
TypicalStep typical_step(std::span<const TimePs> spans);
/// The same of steps of an engine, told by their names: a prompt and a decode step have no median in common, so that
/// only those of the most frequent phase and number of requests are compared.
TypicalStep typical_step(const trace::Trace& trace, std::span<const TimePs> spans,
                         std::span<const std::string_view> names);

/// Steps do not overlap and leave nothing out: a step ends when all the device work it launched has ended (or its host
/// range, if that is later), and starts where the device work of the steps before it ended (or its host range began, if
/// that is later).
struct StepWindow {
  /// A step in the window: the range on the host that marks it.
  struct Step {
    std::string name;
    TimePs begin = 0;
    TimePs end = 0;
  };

  TimePs begin = 0;
  TimePs end = 0;
  std::string label;      ///< "ProfilerStep#17", "whole trace"
  std::string why;        ///< how it was chosen, for the reader: "the median of 5 steps"
  TimePs host_begin = 0;  ///< extent of the annotation itself
  TimePs host_end = 0;
  bool is_whole_trace = false;
  std::optional<trace::LaneIndex> main_lane;  ///< where the annotation was recorded; for the whole trace, that of the
                                              ///< profiler steps, else the busiest
  std::vector<Step> steps;  ///< those that it was chosen by, or that the whole trace has; in their order

  [[nodiscard]] TimePs span() const { return end - begin; }
};

/// Fails when the annotation or instance does not occur, or the trace holds no work at all.
Result<StepWindow> choose_window(const trace::Trace& trace, const trace::RankTrace& rank,
                                 const DeviceTimeline& timeline, const trace::ContentOrder& content,
                                 const WindowRequest& request);

/// What the events of a host lane mark.
std::vector<StepWindow::Step> steps_of(const trace::Trace& trace, const trace::RankTrace& rank,
                                       std::span<const trace::EventIndex> events);

/// The windows of as many steps of a rank as anybody asks for. All three must outlive it.
class StepWindows {
 public:
  StepWindows(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline);

  /// Of events of a host lane that follow one another, in their order.
  [[nodiscard]] StepWindow of(std::span<const trace::EventIndex> events) const;

 private:
  /// A work of the device: when its call was entered, and until when all works entered by then last.
  struct Work {
    TimePs attributed_at;
    TimePs end;
    TimePs latest_end;
  };

  void extend_over_device(StepWindow& window) const;

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  Column<Work> works_;  // by attributed_at
};

/// Events of the host whose name contains `text`, by start, then content.
std::vector<trace::EventIndex> find_annotated(const trace::Trace& trace, const trace::RankTrace& rank,
                                              const trace::ContentOrder& content, const std::string& text);

/// Steps on host lanes, by start, then content: the profiler's (ProfilerStep#N); where there are none, what has the
/// field `step`; where there is none of that either, those of an engine.
std::vector<trace::EventIndex> find_steps(const trace::Trace& trace, const trace::RankTrace& rank,
                                          const trace::ContentOrder& content);

/// Events of the host whose names are those of an engine's steps (step_name.h), by start, then content. What begins
/// inside another of them on its thread is a part of that step: SGLang has `execute_...` around `step[...]`. So steps
/// of one thread never overlap.
std::vector<trace::EventIndex> find_engine_steps(const trace::Trace& trace, const trace::RankTrace& rank,
                                                 const trace::ContentOrder& content);

/// Lanes that run operators, runtime calls or collectives of the host. If there are none, every lane with host work: a
/// trace of annotations or Python alone.
std::vector<std::uint8_t> worker_lanes(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::causal

// A job as recorded: all its ranks on one clock, what they exchanged, the steps they have in common, and the joined
// graph of any window.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "causal/device/device_timeline.h"
#include "causal/join/join_ranks.h"
#include "job/job_clocks.h"
#include "match/exchange.h"
#include "trace/clock.h"
#include "trace/trace.h"

namespace orrery::job {

/// Which part of the recording. Without an annotation steps are meant: the profiler's, or what else is marked as one.
struct JobWindowRequest {
  std::optional<std::string> annotation = {};  ///< host events whose name contains this; "" is the whole trace
  std::optional<std::size_t> first_instance = {}, last_instance = {};
  bool typical = false;  ///< of the steps in common one that is typical by its span over all ranks, instead of all

  [[nodiscard]] bool is_whole() const { return annotation && annotation->empty(); }
  /// Whether it is chosen from steps that can be compared: all of one sort.
  [[nodiscard]] bool compares_steps() const { return typical && !annotation; }
  /// Whether it is for the ranks to say which step that is.
  [[nodiscard]] bool asks_typical() const { return compares_steps() && !first_instance; }
};

/// A stretch that all ranks have: a step, several, or the whole trace.
struct JobWindow {
  std::vector<causal::StepWindow> ranks;  ///< as Trace::ranks; the steps in it are as many on each
  std::vector<std::vector<trace::EventIndex>> step_events = {};  ///< per rank: theirs; empty: the whole trace
  std::vector<TimePs> step_spans =
      {};  ///< of all steps in common, if they were compared (see JobWindowRequest); else empty

  /// From the earliest begin to the latest end.
  [[nodiscard]] TimePs span() const;
};

class RecordedJob {
 public:
  /// Brings the ranks of the trace on one clock. An Error: no rank, or two files of one rank.
  static Result<RecordedJob> make(trace::Trace trace, ClockChoice choice, Diagnostics& diagnostics);
  RecordedJob(RecordedJob&&) noexcept;
  RecordedJob& operator=(RecordedJob&&) noexcept;
  ~RecordedJob();

  [[nodiscard]] const trace::Trace& trace() const;
  /// Hands it over, on the job's clock.
  trace::Trace take_trace() &&;
  [[nodiscard]] const std::vector<causal::DeviceTimeline>& timelines() const;  ///< as Trace::ranks
  [[nodiscard]] const match::Exchanges& exchanges() const;
  [[nodiscard]] const JobClocks& clocks() const;

  /// One window per step (or instance of the annotation) that all ranks have, in order; those that are not common are
  /// counted. Empty: the ranks have none at all. An Error: there are some, but none in common.
  Result<std::vector<JobWindow>> steps(const std::optional<std::string>& annotation, Diagnostics& diagnostics) const;
  /// An Error: the annotation or instance does not occur, no step is common, or the ranks' windows lie more than ten
  /// minutes apart.
  Result<JobWindow> window(const JobWindowRequest& request, Diagnostics& diagnostics) const;
  Result<causal::CausalGraph> graph(const JobWindow& window, const causal::JoinOptions& options,
                                    Diagnostics& diagnostics) const;

 private:
  /// Its steps are those that all ranks have, if there are any: nothing is left out for those that are not common.
  [[nodiscard]] Result<JobWindow> whole_window() const;

  struct State;
  explicit RecordedJob(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace orrery::job

#include "ask/graphs/unprofiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "analyze/whatif/retimed_trace.h"
#include "job/recorded_job.h"
#include "trace/select_events.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kNotExplained{
    "W403", Severity::warning, "what recording costs does not explain the step time without a profiler",
    "the graph alone is no shorter, or an event would have to cost several times what the recording tells; was it "
    "another run?"};
constexpr DiagnosticKind kRecordingCounts{
    "W404", Severity::note, "recording made the host's part of this run longer",
    "--without-profiler answers for the run as it would be; how far to trust that: docs/RECORDING.md"};
constexpr DiagnosticKind kNoRuler{
    "W406", Severity::note, "nothing tells what recording cost: nothing was taken off",
    "too few host operators that could be compared; if you know what a step takes without a profiler: --unprofiled "
    "TIME"};

constexpr DiagnosticKind kTakenOff{"W407", Severity::note,
                                   "what recording cost was taken off: this is the run as it would be",
                                   "how that is found, and how far to trust it: docs/RECORDING.md"};

/// `job`: all that the ranks recorded. Nothing changes without a ruler.
void retime_ranks(Context& context, causal::CausalGraph job, std::span<trace::RankTrace> ranks) {
  const analyze::RecordingCost cost(job);
  if (!cost.has_ruler()) return context.diagnostics().add(kNoRuler, [&] { return ranks.front().source.path; });
  const std::vector<TimePs> recorded(job.time.begin(), job.time.end());
  const TimePs span = job.span;
  const auto [low, high] = cost.interval(cost.fitted());
  const auto savings = cost.savings(cost.fitted());
  const causal::CausalGraph without = analyze::without_recorder(std::move(job), savings);
  analyze::retime(ranks, without, recorded);
  context.diagnostics().add(kTakenOff, [&, low = low, high = high] {
    return fmt::format("{} recorded, about {} without ({} to {})", format_duration(span), format_duration(without.span),
                       format_duration(low), format_duration(high));
  });
}

/// None: the ranks are not of one time, or have nothing to make a graph of. The trace is on the job's clock then, or as
/// it was.
std::optional<causal::CausalGraph> graph_of_all(trace::Trace& trace) {
  Diagnostics repeated;  // whoever asks about the trace remarks on it
  Result<job::RecordedJob> job = job::RecordedJob::make(trace::copy_of(trace), job::ClockChoice::automatic, repeated);
  if (!job) return std::nullopt;
  const Result<job::JobWindow> whole = job->window({.annotation = ""}, repeated);
  if (!whole) return std::nullopt;
  Result<causal::CausalGraph> graph = job->graph(*whole, {}, repeated);
  if (!graph) return std::nullopt;
  trace = std::move(*job).take_trace();
  return std::move(*graph);
}

}  // namespace

Status retime(Context& context, trace::Trace& trace) {
  const bool is_job = trace.ranks.size() > 1 && !trace.ranks.front().source.is_run;
  if (is_job) {
    if (auto graph = graph_of_all(trace)) {
      retime_ranks(context, std::move(*graph), trace.ranks);
      return {};
    }
  }
  for (trace::RankTrace& rank : trace.ranks) {
    Diagnostics repeated;
    Result<causal::CausalGraph> graph = causal::make_causal_graph(trace, rank, {"", {}, {}}, repeated);
    // What has no work to make a graph of has no ruler either.
    if (!graph) context.diagnostics().add(kNoRuler, [&] { return rank.source.path; });
    else retime_ranks(context, std::move(*graph), {&rank, 1});
  }
  return {};
}

std::optional<Unprofiled> unprofiled_of(Context& context, const causal::CausalGraph& job) {
  const analyze::RecordingCost cost(job);
  if (!cost.has_ruler()) {
    context.diagnostics().add(kNoRuler);
    return std::nullopt;
  }
  const analyze::CostShare share = cost.fitted();
  return Unprofiled{job.span, cost.length(share), cost.interval(share), cost.events(), cost.per_event(share)};
}

std::optional<Unprofiled> take_profiler_off(Context& context, bool without_profiler, std::optional<TimePs> step,
                                            causal::CausalGraph& job) {
  if (!step && !without_profiler) return std::nullopt;
  const analyze::RecordingCost cost(job);
  analyze::CostShare share = cost.fitted();
  Unprofiled result{.recorded = job.span, .events = cost.events()};
  if (step) {
    const TimePs wanted = *step * static_cast<TimePs>(std::max<std::size_t>(job.steps.size(), 1));
    const analyze::CalibratedCost found = analyze::calibrate(cost, wanted);
    share = found.share, result.explains = found.explains;
    if (!found.explains) {
      context.diagnostics().add(kNotExplained, [&] {
        return fmt::format("{} of {}, with {} per event", format_duration(found.length), format_duration(wanted),
                           format_duration(cost.per_event(share)));
      });
    }
  } else if (!cost.has_ruler()) {
    context.diagnostics().add(kNoRuler);
    return std::nullopt;
  }
  result.length = cost.length(share);
  result.interval = step ? std::pair(result.length, result.length) : cost.interval(share);
  result.per_event = cost.per_event(share);
  const auto savings = cost.savings(share);
  job = analyze::without_recorder(std::move(job), savings);
  return result;
}

void tell_unprofiled(report::Answer& answer, const std::optional<Unprofiled>& unprofiled) {
  if (!unprofiled) return;
  const auto [low, high] = unprofiled->interval;
  const std::string between =
      low == high ? "" : fmt::format(" ({} to {})", format_duration(low), format_duration(high));
  answer.line(fmt::format("Without the profiler: {}{} of the recorded {}; each of {} recorded host events cost {}.",
                          format_duration(unprofiled->length), between, format_duration(unprofiled->recorded),
                          format_count(unprofiled->events), format_duration(unprofiled->per_event)));
  answer.facts()
      .key("unprofiled")
      .begin_object()
      .field("recorded_us", to_us(unprofiled->recorded))
      .field("length_us", to_us(unprofiled->length))
      .field("low_us", to_us(low))
      .field("high_us", to_us(high))
      .field("events", unprofiled->events)
      .field("per_event_us", to_us(unprofiled->per_event))
      .field("explains", unprofiled->explains)
      .end_object();
}

std::string remark_on_recording(Context& context, const causal::CausalGraph& job, const analyze::PathSums& path) {
  // Without the host's edges the path is still there: what recording cost is at most what they weigh.
  if (!analyze::recording_counts(job.span, path.length() - analyze::host_on_path(path))) return {};
  const analyze::RecordingCost cost(job);
  const TimePs length = cost.length(cost.fitted());
  if (!analyze::recording_counts(job.span, length)) return {};
  context.diagnostics().add(kRecordingCounts, [&] {
    return fmt::format("about {} each for {} host events: {} recorded, about {} without",
                       format_duration(cost.per_event(cost.fitted())), format_count(cost.events()),
                       format_duration(job.span), format_duration(length));
  });
  return analyze::recording_clause(cost, path);
}

}  // namespace orrery::ask

#include "analyze/check/trace_check.h"

#include <algorithm>
#include <set>
#include <string>

#include "causal/device/device_timeline.h"
#include "causal/host/host_waits.h"
#include "causal/rank_graph.h"
#include "graph/longest_path.h"
#include "match/communication.h"
#include "match/mpi/mpi_requests.h"

// Each rank by itself: device work against its launches and its stream, nesting of the host's events, and whether its
// causal graph gives the recorded time back. Then the ranks against each other: missing ones, and steps that only some
// recorded.

namespace orrery::analyze {

report::Sheet findings_sheet(const Diagnostics& diagnostics) {
  using report::Type;
  report::Sheet sheet("findings");
  sheet.add({.name = "code", .title = "code"})
      .add({.name = "severity", .title = "severity"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "what", .title = "what"})
      .add({.name = "first", .title = "first"})
      .add({.name = "hint"});
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    const DiagnosticKind& kind = *diagnostic.kind;
    sheet.add_row({kind.code, to_string(kind.severity), diagnostic.count, kind.summary, diagnostic.example, kind.hint},
                  is_problem(diagnostic) ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

namespace {

using trace::Activity;
using trace::EventIndex;

constexpr DiagnosticKind kNoSteps{"C501", Severity::note, "no profiler steps (ProfilerStep#N)",
                                  "call profiler.step() once per iteration, or name the window by an annotation"};
constexpr DiagnosticKind kNoDeviceWork{"C502", Severity::note, "no device work recorded",
                                       "a CPU-only job, or ProfilerActivity.CUDA was not asked for"};
constexpr DiagnosticKind kLaunchWithoutWork{
    "C503", Severity::note, "launch call without the work it launched",
    "the recording ended, or its buffers overflowed, before the device got there"};
constexpr DiagnosticKind kOverlapOnStream{
    "C504", Severity::note, "device work that overlaps the work before it on the same stream",
    "normal with CUDA graphs and programmatic launch, else clocks were corrected mid-run"};
constexpr DiagnosticKind kNotNested{"C505", Severity::warning, "host events of one thread overlap without nesting",
                                    "cut where the inner one ends"};
constexpr DiagnosticKind kWorkBeforeLaunch{"C506", Severity::warning, "device work starts before its launch call",
                                           "host and device clocks disagree"};
constexpr DiagnosticKind kMissingRanks{"C507", Severity::warning, "files of some ranks are missing",
                                       "analyses over all ranks will be incomplete"};
constexpr DiagnosticKind kDifferentSteps{"C508", Severity::warning, "ranks recorded different steps",
                                         "only common steps can be compared"};
constexpr DiagnosticKind kNothingRecorded{"C509", Severity::error, "neither host nor device work recorded",
                                          "nothing can be analysed"};
constexpr DiagnosticKind kHighResidual{"C510", Severity::warning,
                                       "the graph of a typical step does not replay to the measured time",
                                       "treat predictions with care"};

std::string describe_event(const trace::Trace& trace, const trace::RankTrace& rank, EventIndex e) {
  return rank.source.path + ": byte " + std::to_string(rank.source_offset[e]) + ": " + std::string(trace.name(rank, e));
}

void check_device(const trace::Trace& trace, const trace::RankTrace& rank, const causal::DeviceTimeline& timeline,
                  Diagnostics& diagnostics) {
  if (timeline.works.empty()) diagnostics.add(kNoDeviceWork, [&] { return rank.source.path; });
  std::vector<std::uint8_t> has_work(rank.event_count(), 0);
  for (const causal::DeviceWork& work : timeline.works) {
    if (work.call == causal::kNoEvent) continue;
    has_work[work.call] = 1;
    if (work.start < work.call_start)
      diagnostics.add(kWorkBeforeLaunch, [&] { return describe_event(trace, rank, work.event); });
  }
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) != Activity::runtime_call || has_work[e] != 0) continue;
    const std::string_view name = trace.name(rank, e);
    // Other calls without work are nothing strange: they may wait, ask or set something.
    if (name.find("LaunchKernel") == std::string_view::npos && name.find("GraphLaunch") == std::string_view::npos)
      continue;
    diagnostics.add(kLaunchWithoutWork, [&] { return describe_event(trace, rank, e); });
  }
  for (const auto& queue : timeline.by_queue) {
    TimePs latest = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const causal::DeviceWork& work = timeline.works[queue[i]];
      if (i > 0 && work.start < latest)
        diagnostics.add(kOverlapOnStream, [&] { return describe_event(trace, rank, work.event); });
      const TimePs end =
          std::max(work.start, rank.end(work.event));  // as recorded: the timeline ends it where the next begins
      latest = i == 0 ? end : std::max(latest, end);
    }
  }
}

void check_nesting(const trace::Trace& trace, const trace::RankTrace& rank, Diagnostics& diagnostics) {
  std::vector<std::vector<EventIndex>> by_lane(rank.lanes.size());
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    // Communication of the host goes on after the call that asked for it has returned, and may end in another one.
    if (match::is_host_communication(trace.name(rank, e))) continue;
    if (is_host_work(rank.activity(e)) && rank.duration[e] > 0) by_lane[rank.lane[e]].push_back(e);
  }
  for (auto& events : by_lane) {
    // The longer first, so that what is around comes before what is inside.
    std::sort(events.begin(), events.end(), [&](EventIndex a, EventIndex b) {
      if (rank.start[a] != rank.start[b]) return rank.start[a] < rank.start[b];
      return rank.duration[a] != rank.duration[b] ? rank.duration[a] > rank.duration[b] : a < b;
    });
    std::vector<EventIndex> open;
    for (const EventIndex e : events) {
      // A stack of what is open: an event that outlasts the innermost one around it is not nested.
      while (!open.empty() && rank.end(open.back()) <= rank.start[e]) open.pop_back();
      if (!open.empty() && rank.end(e) > rank.end(open.back()))
        diagnostics.add(kNotNested, [&] { return describe_event(trace, rank, e); });
      open.push_back(e);
    }
  }
}

void check_graph(const trace::Trace& trace, const trace::RankTrace& rank, Diagnostics& diagnostics) {
  Diagnostics of_graph;  // what it remarks has been remarked above
  const auto step = causal::make_rank_graph(trace, rank, {}, of_graph);
  if (!step) return diagnostics.add(kHighResidual, [&] { return step.error().to_string(); });
  const double residual = step->residual_percent(graph::solve(step->graph, step->end).length());
  // By more than a percent the graph does not explain the time that was recorded.
  if (residual > 1.0)
    diagnostics.add(kHighResidual, [&] { return step->window.label + ": " + std::to_string(residual) + " %"; });
}

}  // namespace

RankCheck check_rank(const trace::Trace& trace, const trace::RankTrace& rank) {
  RankCheck check;
  Diagnostics& diagnostics = check.remarks;
  const trace::ContentOrder content(trace, rank);
  const causal::DeviceTimeline timeline = causal::make_device_timeline(trace, rank, content, diagnostics);
  // An MPI job has no device, and its tracers know no steps: neither is missed there.
  const bool is_mpi = match::is_mpi_rank(rank);
  if (!is_mpi) check_device(trace, rank, timeline, diagnostics);
  check_nesting(trace, rank, diagnostics);
  causal::find_host_waits(trace, rank, timeline, content, diagnostics);
  for (const EventIndex e : causal::find_steps(trace, rank, content)) check.steps.emplace(trace.name(rank, e));
  if (!is_mpi && check.steps.empty()) diagnostics.add(kNoSteps, [&] { return rank.source.path; });
  if (causal::choose_window(trace, rank, timeline, content, {})) check_graph(trace, rank, diagnostics);
  else diagnostics.add(kNothingRecorded, [&] { return rank.source.path; });
  return check;
}

void RankCheck::pack(PackedWriter& writer) const {
  remarks.pack(writer);
  writer.number(steps.size());
  for (const std::string& step : steps) writer.text(step);
}

RankCheck RankCheck::unpack(PackedReader& reader) {
  RankCheck check;
  check.remarks = Diagnostics::unpack(reader);
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) check.steps.emplace(reader.text());
  return check;
}

void check_job(const trace::Trace& trace, std::span<const RankCheck> checks, Diagnostics& diagnostics) {
  for (const RankCheck& check : checks) diagnostics.merge(check.remarks);
  std::int64_t world = 0;
  std::set<std::int64_t> present;
  for (const trace::RankTrace& rank : trace.ranks) {
    present.insert(rank.rank);
    world = std::max(world, rank.source.world_size.value_or(0));
  }
  // The reader of MPI traces counts them itself, since it needs them to tell communicators.
  const std::vector<Diagnostic> said = diagnostics.sorted();
  const bool was_said = std::any_of(
      said.begin(), said.end(), [](const Diagnostic& remark) { return std::string_view(remark.kind->code) == "I843"; });
  if (world > static_cast<std::int64_t>(present.size()) && !was_said) {
    std::int64_t missing = 0;
    while (present.contains(missing)) ++missing;
    diagnostics.add_many(kMissingRanks, static_cast<std::uint64_t>(world) - present.size(),
                         std::to_string(present.size()) + " of " + std::to_string(world) +
                             " ranks are here; the first missing one is rank " + std::to_string(missing));
  }
  for (std::size_t i = 1; i < trace.ranks.size(); ++i) {
    if (checks[i].steps == checks[0].steps) continue;
    diagnostics.add(kDifferentSteps, [&] {
      return "rank " + std::to_string(trace.ranks[i].rank) + " and rank " + std::to_string(trace.ranks[0].rank);
    });
  }
}

}  // namespace orrery::analyze

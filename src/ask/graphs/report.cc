#include "ask/graphs/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "ask/devices/memory_snapshot.h"
#include "ask/devices/snapshot_page.h"
#include "ask/graphs/path.h"
#include "ask/graphs/report_sections.h"
#include "ask/graphs/unprofiled.h"
#include "base/units.h"
#include "page/assets.h"
#include "page/sections/ranks_section.h"
#include "page/trace_page.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

/// As path lists them.
constexpr std::size_t kContributorsOfPage = 10;
/// Above this browsers become slow.
constexpr std::uint64_t kEventsOfPage = 4'000'000;

constexpr DiagnosticKind kRanksApart{
    "J821", Severity::warning, "no communication between these ranks was matched",
    "each rank is shown on its own; what was recorded of communication: orrery check --causality"};

/// The flags that choose what is looked at, as one could type them again.
std::vector<std::string> chosen_flags(const GraphRequest& graph) {
  std::vector<std::string> flags;
  if (graph.recording.rank) flags.push_back(fmt::format("--rank {}", *graph.recording.rank));
  for (const std::string& text :
       {typed(WindowChoice{.annotation = graph.window.annotation}),
        typed(WindowChoice{.instances = graph.window.instances}), typed(graph.recording), typed(graph.clock)}) {
    if (!text.empty()) flags.push_back(text.substr(1));  // behind the blank
  }
  return flags;
}

std::vector<std::string> quoted(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const std::string& word : words) result.push_back(report::shell_quote(word));
  return result;
}

/// Without what does not change the page: where it goes, and how many threads make it.
std::string command_of_page(const ReportRequest& request) {
  std::string command = "orrery report";
  for (const std::string& file : quoted(request.graph.recording.files)) command += " " + file;
  for (const std::string& file : quoted(request.against)) command += " --against " + file;
  for (const std::string& flag : chosen_flags(request.graph)) command += " " + flag;
  if (request.device) command += " --device " + report::shell_quote(*request.device);
  if (request.max_events) command += fmt::format(" --max-events {}", *request.max_events);
  if (request.title) command += " --title " + report::shell_quote(*request.title);
  return request.graph.recording.salvage ? command + " --salvage" : command;
}

std::string title_of_page(const ReportRequest& request) {
  if (request.title) return *request.title;
  const std::vector<std::string>& files = request.graph.recording.files;
  std::filesystem::path path(files.front());
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  return files.size() == 1 ? name : fmt::format("{} and {} more", name, files.size() - 1);
}

/// What is said of the cost of recording, where it is not off already.
std::string remark(const ReportRequest& request, Context& context, const causal::CausalGraph& job,
                   const analyze::PathSums& path) {
  return request.graph.recording.without_profiler ? std::string() : remark_on_recording(context, job, path);
}

/// After everything was read: it names the inputs.
page::TracePageOptions page_options(const ReportRequest& request, const Context& context,
                                    const std::optional<analyze::StepSpread>& spread, std::string recording_clause,
                                    std::vector<page::Section> others) {
  page::TracePageOptions options{
      .title = title_of_page(request),
      .max_events = request.max_events.value_or(kEventsOfPage),
      .source = {.version = version(), .command = command_of_page(request), .inputs = {}, .seed = {}},
      .command = {quoted(request.graph.recording.files), chosen_flags(request.graph)},
      .steps_differ = analyze::steps_differ(spread),
      .recording_clause = std::move(recording_clause),
      .others = std::move(others),
      .without_profiler = request.graph.recording.without_profiler};
  if (request.graph.recording.salvage) options.command.flags.emplace_back("--salvage");
  for (const InputRecord& input : context.provenance().inputs)
    options.source.inputs.push_back({input.path, input.bytes, input.xxh3});
  return options;
}

void tell_page_facts(report::Facts& facts, const ReportRequest& request, const page::TracePage& made,
                     const std::vector<page::Section>& sections, std::uint64_t bytes) {
  facts.field("output", request.output).field("bytes", bytes);
  facts.field("events", made.events).field("events_left_out", made.events_left_out).field("edges", made.edges);
  facts.field("verdict", made.facts.verdict).field("step_ps", made.facts.length).key("sections").begin_array();
  for (const page::Section& section : sections) {
    facts.begin_object().field("id", section.id).field("present", !section.html.empty());
    facts.field("why", section.why).end_object();
  }
  facts.end_array();
}

Result<report::Answer> write_and_tell(const ReportRequest& request, const Context& context,
                                      const std::optional<analyze::StepSpread>& spread, Result<page::TracePage> made) {
  if (!made) return made.error();
  const std::vector<page::Section> sections = made->page.sections;
  const Result<std::uint64_t> bytes = page::write_page(request.output, std::move(made->page));
  if (!bytes) return bytes.error();
  report::Answer answer = context.answer();
  const page::StepFacts& facts = made->facts;
  answer.headline(
      fmt::format("{}, {}: {}{}.", facts.label, format_duration(facts.length), facts.verdict, facts.recording_clause));
  if (!facts.steps_differ.empty()) answer.line(facts.steps_differ);
  const std::string events =
      made->events_left_out == 0
          ? report::counted(made->events, "event")
          : fmt::format("{} of {} (the shortest off the path are left out of the timeline: --max-events)",
                        format_count(made->events), report::counted(made->events + made->events_left_out, "event"));
  answer.line(fmt::format("{}: {}, {}. Open it in a browser.", request.output, events, format_bytes(*bytes)));
  tell_page_facts(answer.facts(), request, *made, sections, *bytes);
  tell_step_spread(answer.facts(), spread);
  return answer;
}

/// Roofs are those of operands, and runs are compared by them.
bool asks_for_operands(const ReportRequest& request) { return request.device.has_value() || !request.against.empty(); }

/// The page of one rank, which `trace` has alone. `recorded`: the same to be compared with an earlier run; null: there
/// is none. `beside`: what the page says of ranks and communication; #diff is added.
Result<report::Answer> report_rank(const ReportRequest& request, Context& context, const trace::Trace& trace,
                                   const job::RecordedJob* recorded, std::vector<page::Section> beside) {
  const Result<causal::CausalGraph> step = causal::make_causal_graph(
      trace, trace.ranks.front(), window_of_rank(request.graph.window), context.diagnostics());
  if (!step) return step.error();
  const analyze::CausalPath path =
      analyze::take_path(*step, graph::solve(step->graph, step->end), kContributorsOfPage, true);
  auto changes = recorded != nullptr ? section_of_changes(context, request.graph, request.against, *recorded,
                                                          {step->label, path.length()})
                                     : Result<page::Section>(section_without_changes());
  if (!changes) return changes.error();
  beside.push_back(std::move(*changes));
  auto roof = section_of_roof(request.device, trace);
  if (!roof) return roof.error();
  beside.push_back(std::move(*roof));
  std::optional<analyze::StepSpread> spread;
  if (!request.graph.window.annotation) spread = analyze::find_step_spread(trace, trace.ranks.front());
  std::string recording = remark(request, context, *step, path.sums);
  return write_and_tell(
      request, context, spread,
      page::make_trace_page(trace, {*step, path},
                            page_options(request, context, spread, std::move(recording), std::move(beside)),
                            context.diagnostics()));
}

/// To be compared, a rank is a job of one, which owns its trace; what ranks exchange is not looked for.
Result<report::Answer> report_compared_rank(const ReportRequest& request, Context& context, trace::Trace trace,
                                            const std::optional<page::Section>& runs) {
  const auto recorded = job::RecordedJob::make(std::move(trace), job::ClockChoice::one, context.diagnostics());
  if (!recorded) return recorded.error();
  std::vector<page::Section> beside = sections_of_rank(recorded->trace());
  if (runs) beside.front() = *runs;
  return report_rank(request, context, recorded->trace(), &*recorded, std::move(beside));
}

Result<report::Answer> report_step(const ReportRequest& request, Context& context) {
  const RecordingRequest& recording = request.graph.recording;
  const job::TraceRequest wanted{.operands = asks_for_operands(request), .one_rank = true};
  if (!request.against.empty()) {
    Result<trace::Trace> loaded = load_own_trace(context, recording, wanted);
    if (!loaded) return loaded.error();
    return report_compared_rank(request, context, std::move(*loaded), std::nullopt);
  }
  const auto loaded = load_trace(context, recording, wanted);
  if (!loaded) return loaded.error();
  return report_rank(request, context, **loaded, nullptr, sections_of_rank(**loaded));
}

/// The page of the first run, with all of them side by side in place of the ranks.
Result<report::Answer> report_runs(const ReportRequest& request, Context& context, trace::Trace trace) {
  auto runs = runs_side_by_side(trace, window_of_rank(request.graph.window), context.diagnostics());
  if (!runs) return runs.error();
  trace.ranks.resize(1);
  auto answer = report_compared_rank(request, context, std::move(trace), page::runs_section(*runs));
  if (answer) answer->gap().table(std::move(*runs));
  return answer;
}

Result<report::Answer> report_job(const ReportRequest& request, Context& context) {
  Result<trace::Trace> loaded =
      load_own_trace(context, request.graph.recording, {.far_clocks = true, .operands = asks_for_operands(request)});
  if (!loaded) return loaded.error();
  if (loaded->ranks.size() > 1 && loaded->ranks.front().source.is_run)
    return report_runs(request, context, std::move(*loaded));
  const Result<job::RecordedJob> job =
      job::RecordedJob::make(std::move(*loaded), request.graph.clock, context.diagnostics());
  if (!job) return job.error();
  const Result<job::JobWindow> window =
      job->window(window_of_job(request.graph.window, /*typical=*/true), context.diagnostics());
  if (!window) return window.error();
  const Result<causal::CausalGraph> graph = job->graph(*window, {}, context.diagnostics());
  if (!graph) return graph.error();
  if (graph->operations.empty()) context.diagnostics().add(kRanksApart);
  const analyze::CausalPath path =
      analyze::take_path(*graph, graph::solve(graph->graph, graph->end), kContributorsOfPage, true);
  std::vector<page::Section> others = sections_of_job(request.graph.window, *job, *graph);
  auto changes = section_of_changes(context, request.graph, request.against, *job, {graph->label, path.length()});
  if (!changes) return changes.error();
  others.push_back(std::move(*changes));
  auto roof = section_of_roof(request.device, job->trace());
  if (!roof) return roof.error();
  others.push_back(std::move(*roof));
  const std::optional<analyze::StepSpread> spread = find_step_spread(*job, *window);
  std::string recording = remark(request, context, *graph, path.sums);
  return write_and_tell(
      request, context, spread,
      page::make_trace_page(job->trace(), {*graph, path},
                            page_options(request, context, spread, std::move(recording), std::move(others)),
                            context.diagnostics()));
}

/// Of a snapshot of the allocator's memory, which has no steps.
Result<report::Answer> report_snapshot(const ReportRequest& request, Context& context) {
  if (request.device || request.against.size() > 1 || !chosen_flags(request.graph).empty())
    return misuse("a memory snapshot has no steps, ranks or operators",
                  "orrery report SNAPSHOT [--against SNAPSHOT] -o FILE.html");
  SnapshotPageRequest page{.file = request.graph.recording.files.front(),
                           .title = title_of_page(request),
                           .command = command_of_page(request),
                           .output = request.output};
  if (!request.against.empty()) page.against = request.against.front();
  return write_snapshot_page(context, page);
}

}  // namespace

Result<report::Answer> run(const ReportRequest& request, Context& context) {
  if (!page::has_assets())
    return misuse("this program was built without the page",
                  "build it where esbuild is installed (scripts/setup.sh build), or use orrery path");
  context.keep_hashes();
  if (is_memory_snapshot(request.graph.recording.files)) return report_snapshot(request, context);
  return asks_whole_job(context, request.graph) ? report_job(request, context) : report_step(request, context);
}

}  // namespace orrery::ask

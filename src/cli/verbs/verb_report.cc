// orrery report: one page with everything, for people.
#include <fmt/format.h>

#include <filesystem>

#include "ask/graphs/path.h"
#include "base/units.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/report_sections.h"
#include "page/assets.h"
#include "page/sections/runs_section.h"
#include "page/trace_page.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

/// As path lists them.
constexpr std::size_t kContributorsOfPage = 10;
constexpr const char* kDefaultPage = "report.html";

constexpr DiagnosticKind kRanksApart{
    "J821", Severity::warning, "no communication between these ranks was matched",
    "each rank is shown on its own; what was recorded of communication: orrery check --causality"};

std::string output_name(const Invocation& invocation) {
  return invocation.has("output") ? invocation.text("output") : kDefaultPage;
}

/// The flags that choose what is looked at, as one could type them again.
std::vector<std::string> chosen_flags(const Invocation& invocation, std::initializer_list<const char*> names) {
  std::vector<std::string> flags;
  for (const char* name : names) {
    if (!invocation.has(name)) continue;
    for (const std::string& value : invocation.texts(name)) {
      flags.push_back(fmt::format("--{}", name));
      if (find_flag(invocation.verb().flags, name)->value_name.empty()) continue;
      flags.back() += " " + report::shell_quote(value);
    }
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
std::string command_of(const Invocation& invocation) {
  std::string command = "orrery report";
  for (const std::string& operand : quoted(invocation.operands())) command += " " + operand;
  for (const std::string& flag : chosen_flags(
           invocation, {"against", "rank", "annotation", "instance", "clock", "max-events", "title", "salvage"}))
    command += " " + flag;
  return command;
}

std::string title_of(const Invocation& invocation) {
  if (invocation.has("title")) return invocation.text("title");
  const std::string first = invocation.operands().front();
  std::filesystem::path path(first);
  if (!path.has_filename()) path = path.parent_path();
  const std::string name = path.filename().string();
  return invocation.operands().size() == 1 ? name
                                           : fmt::format("{} and {} more", name, invocation.operands().size() - 1);
}

/// After everything was read: it names the inputs.
page::TracePageOptions page_options(const Invocation& invocation, const std::optional<analyze::StepSpread>& spread,
                                    std::vector<page::Section> others) {
  page::TracePageOptions options{
      .title = title_of(invocation),
      .max_events = static_cast<std::uint64_t>(invocation.integer("max-events")),
      .source = {.version = version(), .command = command_of(invocation), .inputs = {}, .seed = {}},
      .command = {quoted(invocation.operands()),
                  chosen_flags(invocation, {"rank", "annotation", "instance", "clock", "salvage"})},
      .steps_differ = analyze::steps_differ(spread),
      .others = std::move(others)};
  for (const InputRecord& input : invocation.provenance().inputs)
    options.source.inputs.push_back({input.path, input.bytes, input.xxh3});
  return options;
}

causal::WindowRequest window_request_of(const Invocation& invocation, const Instances& instances) {
  causal::WindowRequest request{.annotation = {}, .first_instance = instances.first, .last_instance = instances.last};
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  return request;
}

ExitCode finish_page(Invocation& invocation, const std::optional<analyze::StepSpread>& spread,
                     Result<page::TracePage> made) {
  if (!made) return invocation.fail(made.error());
  const std::string output = output_name(invocation);
  const std::vector<page::Section> sections = made->page.sections;
  const Result<std::uint64_t> bytes = page::write_page(output, std::move(made->page));
  if (!bytes) return invocation.fail(bytes.error());
  const page::StepFacts& facts = made->facts;
  JsonWriter& json = invocation.data();
  json.field("output", output)
      .field("bytes", *bytes)
      .field("events", made->events)
      .field("events_left_out", made->events_left_out);
  json.field("edges", made->edges)
      .field("verdict", facts.verdict)
      .field("step_ps", facts.length)
      .key("sections")
      .begin_array();
  for (const page::Section& section : sections) {
    json.begin_object()
        .field("id", section.id)
        .field("present", !section.html.empty())
        .field("why", section.why)
        .end_object();
  }
  json.end_array();
  write_step_spread_json(json, spread);
  const std::string events =
      made->events_left_out == 0
          ? report::counted(made->events, "event")
          : fmt::format("{} of {} (the shortest off the path are left out of the timeline: --max-events)",
                        format_count(made->events), report::counted(made->events + made->events_left_out, "event"));
  invocation.text() = fmt::format(
      "{}, {}: {}.\n{}{}: {}, {}. Open it in a browser.\n", facts.label, format_duration(facts.length), facts.verdict,
      facts.steps_differ.empty() ? "" : facts.steps_differ + "\n", output, events, format_bytes(*bytes));
  return ExitCode::ok;
}

/// The page of one rank, which `trace` has alone. `beside`: what the page says of ranks and communication; #diff is
/// added.
ExitCode report_rank(Invocation& invocation, const Instances& instances, const trace::Trace& trace,
                     const job::RecordedJob* recorded, std::vector<page::Section> beside) {
  const Result<causal::CausalGraph> step = causal::make_causal_graph(
      trace, trace.ranks.front(), window_request_of(invocation, instances), invocation.diagnostics());
  if (!step) return invocation.fail(step.error());
  const analyze::CausalPath path =
      analyze::take_path(*step, graph::solve(step->graph, step->end), kContributorsOfPage, true);
  auto changes = recorded != nullptr
                     ? section_of_changes(invocation, *recorded, instances, {step->label, path.length()})
                     : Result<page::Section>(section_without_changes());
  if (!changes) return invocation.fail(changes.error());
  beside.push_back(std::move(*changes));
  std::optional<analyze::StepSpread> spread;
  if (!invocation.has("annotation")) spread = analyze::find_step_spread(trace, trace.ranks.front());
  return finish_page(invocation, spread,
                     page::make_trace_page(trace, {*step, path}, page_options(invocation, spread, std::move(beside)),
                                           invocation.diagnostics()));
}

/// To be compared, a rank is a job of one, which owns its trace; what ranks exchange is not looked for.
ExitCode report_compared_rank(Invocation& invocation, const Instances& instances, trace::Trace trace,
                              const std::optional<page::Section>& runs) {
  auto recorded = job::RecordedJob::make(std::move(trace), job::ClockChoice::one, invocation.diagnostics());
  if (!recorded) return invocation.fail(recorded.error());
  std::vector<page::Section> beside = sections_of_rank(recorded->trace());
  if (runs) beside.front() = *runs;
  return report_rank(invocation, instances, recorded->trace(), &*recorded, std::move(beside));
}

ExitCode report_step(Invocation& invocation, const Instances& instances) {
  if (invocation.has("against")) {
    Result<trace::Trace> loaded = load_own_job(invocation, invocation.operands(), {.one_rank = true});
    if (!loaded) return invocation.fail(loaded.error());
    return report_compared_rank(invocation, instances, std::move(*loaded), std::nullopt);
  }
  const auto loaded = load_job(invocation, invocation.operands(), {.one_rank = true});
  if (!loaded) return invocation.fail(loaded.error());
  return report_rank(invocation, instances, **loaded, nullptr, sections_of_rank(**loaded));
}

/// The page of the first run, with all of them side by side in place of the ranks.
ExitCode report_runs(Invocation& invocation, const Instances& instances, trace::Trace trace) {
  const auto runs = runs_side_by_side(trace, window_request_of(invocation, instances), invocation.diagnostics());
  if (!runs) return invocation.fail(runs.error());
  trace.ranks.resize(1);
  const ExitCode made = report_compared_rank(invocation, instances, std::move(trace), page::runs_section(*runs));
  if (made != ExitCode::ok) return made;
  write_sheet(invocation.data(), *runs);
  invocation.text() += "\n" + to_text(*runs, invocation.view());
  return made;
}

ExitCode report_job(Invocation& invocation, const Instances& instances) {
  Result<trace::Trace> loaded = load_own_job(invocation, invocation.operands(), {.far_clocks = true});
  if (!loaded) return invocation.fail(loaded.error());
  if (loaded->ranks.size() > 1 && loaded->ranks.front().source.is_run)
    return report_runs(invocation, instances, std::move(*loaded));
  const Result<job::RecordedJob> job =
      job::RecordedJob::make(std::move(*loaded), clock_choice(invocation), invocation.diagnostics());
  if (!job) return invocation.fail(job.error());
  job::JobWindowRequest request{.first_instance = instances.first, .last_instance = instances.last, .typical = true};
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  const Result<job::JobWindow> window = job->window(request, invocation.diagnostics());
  if (!window) return invocation.fail(window.error());
  const Result<causal::CausalGraph> graph = job->graph(*window, {}, invocation.diagnostics());
  if (!graph) return invocation.fail(graph.error());
  if (graph->operations.empty()) invocation.diagnostics().add(kRanksApart);
  const analyze::CausalPath path =
      analyze::take_path(*graph, graph::solve(graph->graph, graph->end), kContributorsOfPage, true);
  const bool of_all_steps = instances.first.has_value() || graph->steps.empty();
  std::vector<page::Section> others = sections_of_job(invocation, *job, *graph, of_all_steps);
  auto changes = section_of_changes(invocation, *job, instances, {graph->label, path.length()});
  if (!changes) return invocation.fail(changes.error());
  others.push_back(std::move(*changes));
  const std::optional<analyze::StepSpread> spread = find_step_spread(*job, *window);
  return finish_page(
      invocation, spread,
      page::make_trace_page(job->trace(), {*graph, path}, page_options(invocation, spread, std::move(others)),
                            invocation.diagnostics()));
}

ExitCode run_report(Invocation& invocation) {
  if (!page::has_assets()) {
    return invocation.fail_usage({"this program was built without the page",
                                  "build it where esbuild is installed (scripts/setup.sh build), or use orrery path"});
  }
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  invocation.keep_hashes();
  return asks_whole_job(invocation, invocation.operands()) ? report_job(invocation, instances)
                                                           : report_step(invocation, instances);
}

}  // namespace

const Verb& report_verb() {
  static const Verb verb = {
      .name = "report",
      .summary = "one page with verdict, what-if and timeline, for a browser",
      .description =
          "Writes one HTML file that needs nothing else: what bounds the step and how far to trust that, what would "
          "help, sliders that "
          "solve the "
          "step again, and every event on a timeline with its slack and what it waited for. Nothing is asked of any "
          "network. Of several "
          "ranks it is "
          "the page of the whole job; of several runs, which share nothing, the page of the first, or of --rank, with "
          "all of them side by "
          "side.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_job_flags({
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "of this rank alone",
               .group = "Window"},
          Flag{.name = "against",
               .value_name = "TRACE",
               .kind = ValueKind::file,
               .help = "an earlier run: the page says what changed since; may be given again for further ranks",
               .repeatable = true},
          Flag{.name = "max-events",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "events on the timeline at most; beyond, the shortest off the path are left out",
               .default_text = "4000000"},
          Flag{.name = "title", .value_name = "TEXT", .help = "beside the program's name (default: the file's name)"},
      }),
      .examples = {{"orrery report trace.json.gz", "report.html: open it in a browser"},
                   {"orrery report traces/ -o job.html", "all ranks on one clock"},
                   {"orrery report new.json.gz --against old.json.gz", "what changed between two runs"}},
      .output_help = "the page (default: report.html)",
      .run = run_report,
  };
  return verb;
}

}  // namespace orrery::cli

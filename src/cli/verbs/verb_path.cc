// orrery path: where the step goes.
#include <fmt/format.h>

#include "analyze/path/hta_summary.h"
#include "analyze/path/path_overlay.h"
#include "analyze/path/path_sheets.h"
#include "causal/hta/critical_path.h"
#include "cli/devices/hta_report.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/graph_source.h"
#include "cli/graphs/path_report.h"
#include "cli/graphs/unprofiled.h"
#include "job/write/hta_graph_dump.h"
#include "job/write/overlay_file.h"
#include "report/sheet_csv.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kContributors = 10;

analyze::OverlayOptions overlay_options(const Invocation& invocation) {
  return {invocation.has("all-edges"), invocation.has("only-critical")};
}

ExitCode run_hta(Invocation& invocation, const Instances& instances) {
  if (invocation.has("save") || invocation.has("restore"))
    return invocation.fail_usage(
        {"--save and --restore do not go with --compat hta", "they keep the graph of the default mode"});
  const auto job = load_job(invocation, invocation.operands(), {.one_rank = true});
  if (!job) return invocation.fail(job.error());
  const trace::RankTrace& rank = (*job)->ranks.front();
  causal::hta::Options options;
  options.window = {invocation.has("annotation") ? invocation.text("annotation") : "ProfilerStep",
                    instances.first.value_or(0), instances.last.value_or(0), invocation.texts("data-load-events")};
  options.zero_weight_launch_edges = invocation.has("zero-weight-launch-edges");
  options.strict = invocation.has("strict");
  options.include_last_step = invocation.has("include-last-step");
  const auto path = causal::hta::find_critical_path(**job, rank, options);
  if (!path) return invocation.fail(path.error());
  const auto summary = analyze::summarize(*path, options.window.data_load_events);
  if (!summary) return invocation.fail(summary.error());
  if (invocation.has("dump-graph")) {
    if (const Status dumped = job::dump_graph(*path, invocation.text("dump-graph")); !dumped)
      return invocation.fail(dumped.error());
  }
  if (invocation.has("overlay")) {
    const Status written = job::write_overlay_of(
        rank.source.path, analyze::make_overlay(*path, overlay_options(invocation)), invocation.text("overlay"));
    if (!written) return invocation.fail(written.error());
  }
  if (invocation.json()) write_hta_json(invocation.data(), *path, *summary, invocation.has("breakdown"));
  else if (invocation.csv()) invocation.text() = report::to_csv(analyze::hta_bound_by_sheet(*summary));
  else invocation.text() = hta_text(invocation, *path, *summary);
  return path->success() ? ExitCode::ok : ExitCode::check_failed;
}

std::optional<UsageError> check_flags(const Invocation& invocation, bool several) {
  // HTA's switches have no meaning for the graph of the default mode; ignoring them would look like heeding them.
  for (const char* flag :
       {"zero-weight-launch-edges", "strict", "include-last-step", "dump-graph", "data-load-events"}) {
    if (invocation.has(flag))
      return UsageError{fmt::format("--{} belongs to --compat hta", flag), "add --compat hta, or leave it out"};
  }
  if (several && invocation.has("save")) return UsageError{"--save is about one rank", "choose it with --rank"};
  return std::nullopt;
}

ExitCode run_default(Invocation& invocation, const Instances& instances) {
  const bool several = asks_whole_job(invocation, invocation.operands());
  if (const auto error = check_flags(invocation, several)) return invocation.fail_usage(*error);
  std::optional<analyze::StepSpread> spread;
  auto job = load_causal_graph(invocation, invocation.operands(), instances, &spread);
  if (!job) return invocation.fail(job.error());
  if (!is_joined(invocation, *job)) return ExitCode::check_failed;
  const std::optional<Unprofiled> unprofiled = take_profiler_off(invocation, *job);
  const analyze::CausalPath path = analyze::take_path(*job, graph::solve(job->graph, job->end), kContributors, true);
  if (invocation.has("overlay")) {
    if (const Status written = write_overlays(invocation, *job, path.sums); !written)
      return invocation.fail(written.error());
  }
  if (invocation.json()) {
    write_path_json(invocation.data(), *job, path, invocation.has("breakdown"));
    write_step_spread_json(invocation.data(), spread);
    write_unprofiled_json(invocation.data(), unprofiled);
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(analyze::path_sheets(*job, path));
  } else {
    invocation.text() = unprofiled_line(unprofiled) + path_text(invocation, *job, path, analyze::steps_differ(spread));
  }
  return ExitCode::ok;
}

ExitCode run_path(Invocation& invocation) {
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  if (invocation.operands().empty() && !invocation.has("restore"))
    return invocation.fail_usage({"no trace given", "name a file or folder, or use --restore FILE"});
  if (!invocation.operands().empty() && invocation.has("restore"))
    return invocation.fail_usage({"give traces or --restore, not both"});
  if (invocation.has("compat")) return run_hta(invocation, instances);
  return run_default(invocation, instances);
}

}  // namespace

const Verb& path_verb() {
  static const Verb verb = {
      .name = "path",
      .summary = "where the step goes: critical path, breakdown, overlay",
      .description =
          "Builds the causal graph of one step of one rank and takes its longest path. Every part of the step is on "
          "the path or is named "
          "idle, with a "
          "reason; the replay residual says how far the graph alone is from the measured step.\n\n"
          "With --compat hta, the answer of Holistic Trace Analysis 0.6.1 to the last digit, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_window_flags({
          Flag{.name = "compat",
               .value_name = "TOOL",
               .help = "reproduce the answer of TOOL exactly, defects included",
               .choices = "hta"},
          Flag{.name = "breakdown", .help = "with --json: one row per edge of the path"},
          csv_flag(),
          clock_flag(),
          reduce_flag(RankDetail::graph),
          unprofiled_flag(),
          Flag{.name = "overlay",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "write the trace again with the path marked, for Perfetto or chrome://tracing (FILE.json.gz); "
                       "of several ranks a folder"},
          Flag{.name = "all-edges", .help = "with --overlay: arrows for all edges, not only the critical ones"},
          Flag{.name = "only-critical", .help = "with --overlay: leave out complete events that are not critical"},
          Flag{.name = "save",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "keep the step's graph for --restore"},
          Flag{.name = "dump-graph",
               .value_name = "PREFIX",
               .kind = ValueKind::output,
               .help = "every node and edge to PREFIX.nodes.csv.gz and PREFIX.edges.csv.gz",
               .group = "With --compat hta"},
          Flag{.name = "data-load-events",
               .value_name = "RE",
               .help = "events that load data",
               .repeatable = true,
               .group = "With --compat hta"},
          Flag{.name = "zero-weight-launch-edges",
               .help = "an edge of weight 0 for launches that did not delay their kernel",
               .group = "With --compat hta"},
          Flag{.name = "strict", .help = "fail on negative edge weights", .group = "With --compat hta"},
          Flag{.name = "include-last-step", .help = "keep the last profiler step", .group = "With --compat hta"},
      }),
      .examples = {{"orrery path trace.json.gz", "a typical step: what bounds it, and the ten largest contributors"},
                   {"orrery path trace.json.gz --annotation ProfilerStep --instance 2", "the third step"},
                   {"orrery path trace.json.gz --overlay path.json.gz", "the path on a timeline, in Perfetto"},
                   {"orrery path trace.json.gz --compat hta --annotation '' --json",
                    "HTA's numbers for the whole trace"}},
      .run = run_path,
  };
  return verb;
}

}  // namespace orrery::cli

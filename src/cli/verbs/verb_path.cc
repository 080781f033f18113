// orrery path: where the step goes.
#include "ask/graphs/path.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

ExitCode run_path(Invocation& invocation) {
  ask::PathRequest request;
  request.graph.recording.files = invocation.operands();
  return answer(invocation, std::move(request));
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
          reduce_flag(ask::RankDetail::graph),
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
               .help = "keep the graph, of one rank or of all, for --restore"},
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

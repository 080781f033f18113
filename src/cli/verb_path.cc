// orrery path: where the step goes.
#include <charconv>

#include "analyze/hta_summary.h"
#include "cli/load.h"
#include "cli/verbs.h"
#include "link/hta/critical_path.h"

namespace orrery::cli {
namespace {

struct Instances {
  std::size_t first = 0;
  std::size_t last = 0;
};

// "3" or "0:3", inclusive.
std::optional<Instances> parse_instances(const std::string& text) {
  Instances instances;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, instances.first);
  if (first.ec != std::errc()) return std::nullopt;
  instances.last = instances.first;
  if (first.ptr == end) return instances;
  if (*first.ptr != ':') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, instances.last);
  if (last.ec != std::errc() || last.ptr != end || instances.last < instances.first) return std::nullopt;
  return instances;
}

ExitCode run_hta(Invocation& invocation, const trace::Trace& job, const trace::RankTrace& rank, const Instances& instances) {
  link::hta::Options options;
  options.window = {invocation.text("annotation"), instances.first, instances.last, invocation.texts("data-load-events")};
  options.zero_weight_launch_edges = invocation.has("zero-weight-launch-edges");
  options.strict = invocation.has("strict");
  options.include_last_step = invocation.has("include-last-step");
  const auto path = link::hta::find_critical_path(job, rank, options);
  if (!path) return invocation.fail(path.error());
  const auto summary = analyze::summarize(*path, options.window.data_load_events);
  if (!summary) return invocation.fail(summary.error());
  if (invocation.has("dump-graph")) {
    if (const Status dumped = analyze::dump_graph(*path, invocation.text("dump-graph")); !dumped) return invocation.fail(dumped.error());
  }
  if (invocation.json()) analyze::write_json(invocation.data(), *path, *summary, invocation.has("breakdown"));
  return path->success() ? ExitCode::ok : ExitCode::check_failed;
}

ExitCode run_path(Invocation& invocation) {
  Instances instances;
  if (invocation.has("instance")) {
    const auto parsed = parse_instances(invocation.text("instance"));
    if (!parsed) return invocation.fail_usage({"--instance takes a number or a range", "like 3 or 0:3, counting from 0", invocation.text("instance"), 0});
    instances = *parsed;
  }
  const auto job = load_job(invocation, invocation.operands());
  if (!job) return invocation.fail(job.error());
  const auto rank = choose_rank(invocation, *job);
  if (!rank) return invocation.fail(rank.error());
  return run_hta(invocation, *job, **rank, instances);
}

}  // namespace

const Verb& path_verb() {
  static const Verb verb = {
      .name = "path",
      .summary = "where the step goes: critical path, breakdown, overlay",
      .operands = {.name = "TRACE...", .help = "files, folders or globs; several are several ranks", .min = 1, .max = Operands::kUnlimited},
      .flags = with_input_flags({
          Flag{.name = "compat", .value_name = "TOOL", .help = "reproduce the answer of TOOL exactly, defects included", .choices = "hta"},
          Flag{.name = "rank", .value_name = "N", .kind = ValueKind::integer, .help = "analyse this rank (default: the lowest)"},
          Flag{.name = "annotation", .value_name = "TEXT", .help = "the window: events whose name contains TEXT; '' is the whole trace"},
          Flag{.name = "instance", .value_name = "N[:M]", .help = "which of them, counting from 0; N:M spans several"},
          Flag{.name = "breakdown", .help = "with --json: one row per edge of the path"},
          Flag{.name = "dump-graph", .value_name = "PREFIX", .kind = ValueKind::file, .help = "write every node and edge to PREFIX.nodes.csv.gz and PREFIX.edges.csv.gz"},
          Flag{.name = "data-load-events", .value_name = "RE", .help = "events that load data", .repeatable = true},
          Flag{.name = "zero-weight-launch-edges", .help = "an edge of weight 0 for launches that did not delay their kernel", .group = "With --compat hta"},
          Flag{.name = "strict", .help = "fail on negative edge weights", .group = "With --compat hta"},
          Flag{.name = "include-last-step", .help = "keep the last profiler step", .group = "With --compat hta"},
      }),
      .run = run_path,
  };
  return verb;
}

}  // namespace orrery::cli

// orrery blame: who made whom wait, and why.
#include <fmt/format.h>

#include "analyze/blame/blame.h"
#include "analyze/blame/blame_sheets.h"
#include "ask/graphs/job_facts.h"
#include "cli/devices/hta_job_report.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/blame_report.h"
#include "report/sheet_csv.h"

namespace orrery::cli {
namespace {

ExitCode run_blame(Invocation& invocation) {
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  if (invocation.has("compat")) return run_hta_blame(invocation);
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  const double most = invocation.number("fail-above");
  if (most < 0)
    return invocation.fail_usage({"--fail-above takes a share of all ranks' time in percent", "like --fail-above 5"});
  const causal::JoinOptions options{.by_annotation = invocation.text("by") == "annotation"};
  const auto job = load_job_graph(invocation, invocation.operands(), instances, false, options, RankDetail::as_needed);
  if (!job) return invocation.fail(job.error());
  if (job->ranks.size() < 2)
    return invocation.fail({.message = "one rank alone has nobody to wait for",
                            .file = job->ranks.front().source_path,
                            .hint = "name the files of all ranks, or their folder"});
  if (!is_joined(invocation, *job)) return ExitCode::check_failed;
  const analyze::Blame blame = analyze::find_blame(*job, invocation.diagnostics());
  const bool fails = invocation.has("fail-above") && blame.share_pct() > most;
  if (invocation.json()) {
    write_job_json(invocation.data(), *job, blame.slowdown.measured);
    write_blame_json(invocation.data(), *job, blame);
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(analyze::blame_sheets(*job, blame));
  } else {
    invocation.text() = blame_text(invocation, *job, blame);
    if (fails)
      invocation.text() +=
          fmt::format("\nWaiting takes {:.3g} % of all ranks' time: more than the {:.3g} % of --fail-above.\n",
                      blame.share_pct(), most);
  }
  return fails ? ExitCode::check_failed : ExitCode::ok;
}

}  // namespace

const Verb& blame_verb() {
  static const Verb verb = {
      .name = "blame",
      .summary = "who made others wait, and why",
      .description =
          "Joins the ranks of a job by what they exchanged and says what waiting cost each: what it would have saved, "
          "had it never waited. "
          "Every wait is "
          "blamed directly on the rank that came late, and at its root on the rank and the work that made it late, "
          "also if others only "
          "handed the "
          "delay on. What other work hides costs nothing and is nobody's fault.\n\n"
          "Stragglers are told from chance by how often a rank is the worst of a step; the slowdown compares with the "
          "same job of typical "
          "ranks.\n\n"
          "With --compat hta, the potential stragglers that Holistic Trace Analysis 0.6.1 names, its defects included.",
      .operands = {.name = "TRACE...",
                   .help = "the files of all ranks: a folder, files or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_hta_flags(
          with_job_flags({
              Flag{.name = "by",
                   .value_name = "WHAT",
                   .help =
                       "what causes are called by: the operation, or the innermost user annotation around its launch",
                   .default_text = "operation",
                   .choices = "operation annotation"},
              Flag{.name = "fail-above",
                   .value_name = "PCT",
                   .kind = ValueKind::number,
                   .help = "exit with 1 if waiting takes more than PCT percent of all ranks' time"},
              reduce_flag(RankDetail::as_needed),
              csv_flag(),
          }),
          hta_blame_flags()),
      .examples = {{"orrery blame traces/", "who waits for whom in all steps that every rank recorded"},
                   {"orrery blame traces/ --by annotation", "causes by the parts of the program that you named"},
                   {"orrery blame traces/ --fail-above 5",
                    "for tests of training jobs: fails if ranks wait for more than 5 % of their time"}},
      .run = run_blame,
  };
  return verb;
}

}  // namespace orrery::cli

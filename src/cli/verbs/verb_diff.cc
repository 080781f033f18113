// orrery diff: what changed between two runs.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/diff/diff_sheets.h"
#include "analyze/whatif/whatif.h"
#include "base/percent.h"
#include "cli/devices/hta_job_report.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/diff_inputs.h"
#include "cli/graphs/diff_report.h"
#include "report/sheet_csv.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kOtherRanks{"J820", Severity::warning, "rank that only one of the runs has",
                                     "its segments count as removed or new; compare what both have with --rank"};

void remark_other_ranks(Invocation& invocation, const causal::CausalGraph& a, const causal::CausalGraph& b,
                        char which) {
  for (const causal::JobRank& rank : a.ranks) {
    const auto is_same = [&](const causal::JobRank& other) { return other.rank == rank.rank; };
    if (std::any_of(b.ranks.begin(), b.ranks.end(), is_same)) continue;
    invocation.diagnostics().add(kOtherRanks, [&] { return fmt::format("rank {} of {}", rank.rank, which); });
  }
}

/// Two operands, or one folder of two runs.
Result<std::pair<analyze::ComparedRun, analyze::ComparedRun>> load_both(Invocation& invocation,
                                                                        const Instances& instances,
                                                                        analyze::PieceClasses& classes) {
  std::optional<Result<analyze::ComparedRun>> a, b;
  std::string name_of_a = invocation.operands().front(), name_of_b = invocation.operands().back();
  if (invocation.operands().size() == 1) {
    const auto two = load_two_runs(invocation, name_of_a);
    if (!two) return two.error();
    name_of_a = two->name_of_a, name_of_b = two->name_of_b;
    a = compared_run(invocation, two->a, name_of_a, instances, classes);
    if (*a) b = compared_run(invocation, two->b, name_of_b, instances, classes);
  } else {
    a = load_compared_run(invocation, name_of_a, instances, classes);
    if (*a) b = load_compared_run(invocation, name_of_b, instances, classes);
  }
  if (!*a) return a->error();
  if (!*b) return b->error();
  if (const Status alike = check_alike(**a, **b, name_of_a, name_of_b); !alike) return alike.error();
  return std::pair(std::move(**a), std::move(**b));
}

ExitCode run_diff(Invocation& invocation) {
  if (const auto error = flag_of_other_mode(invocation)) return invocation.fail_usage(*error);
  if (invocation.has("compat")) {
    if (invocation.operands().size() != 2) return invocation.fail_usage({"diff takes two runs, A and B", "name both"});
    return run_hta_diff(invocation);
  }
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  const double most = invocation.number("fail-above");
  if (most < 0) return invocation.fail_usage({"--fail-above takes a slowdown in percent", "like --fail-above 2"});
  analyze::PieceClasses classes;
  const auto runs = load_both(invocation, instances, classes);
  if (!runs) return invocation.fail(runs.error());
  const analyze::ComparedRun *a = &runs->first, *b = &runs->second;
  if (!is_joined(invocation, a->step) || !is_joined(invocation, b->step)) return ExitCode::check_failed;
  if (a->step.ranks.size() > 1 || b->step.ranks.size() > 1) {
    remark_other_ranks(invocation, a->step, b->step, 'A');
    remark_other_ranks(invocation, b->step, a->step, 'B');
  }
  const analyze::RunDiff diff = analyze::compare_runs(*a, *b, classes);
  const double slowdown = diff.spans.significant.value_or(false) ? change_percent(diff.spans.a, diff.spans.b) : 0;
  const bool fails = invocation.has("fail-above") && slowdown > most;
  if (invocation.json()) {
    write_diff_json(invocation.data(), *a, *b, diff);
  } else if (invocation.csv()) {
    std::vector<report::Sheet> sheets;
    sheets.push_back(analyze::runs_sheet(*a, *b));
    sheets.push_back(analyze::kind_changes_sheet(diff));
    sheets.push_back(analyze::causes_sheet(diff));
    sheets.push_back(analyze::cause_ranks_sheet(diff));
    invocation.text() = report::to_csv(sheets);
  } else {
    invocation.text() = diff_text(invocation, *a, *b, diff);
    if (fails)
      invocation.text() +=
          fmt::format("\nB is slower by {:.3g} %: more than the {:.3g} % of --fail-above.\n", slowdown, most);
  }
  return fails ? ExitCode::check_failed : ExitCode::ok;
}

}  // namespace

const Verb& diff_verb() {
  static const Verb verb = {
      .name = "diff",
      .summary = "what changed between two runs",
      .description =
          "Compares the steps of two runs, of one rank or of whole jobs: is B slower than A, is that more than chance, "
          "and which work "
          "makes "
          "it so.\n\n"
          "The median step of each is taken, their segments are aligned, and every segment goes from its time in A to "
          "that in B along a "
          "straight "
          "line; it adds what it changes while it is on the path. What that does not explain are other dependencies or "
          "another order. The "
          "sum is "
          "the change, to the picosecond. A recording without steps is compared as a whole, with another one "
          "without.\n\n"
          "With --compat hta, the names that Holistic Trace Analysis 0.6.1 compares in one step of each, its defects "
          "included.",
      .operands = {.name = "A B",
                   .help = "two runs: a folder, a file or a glob each; or one folder that holds two runs",
                   .min = 1,
                   .max = 2},
      .flags = with_hta_flags(
          with_job_flags({
              Flag{.name = "rank",
                   .value_name = "N",
                   .kind = ValueKind::integer,
                   .help = "compare this rank only, without the others",
                   .group = "Window"},
              Flag{.name = "fail-above",
                   .value_name = "PCT",
                   .kind = ValueKind::number,
                   .help = "exit with 1 if B is slower than A, significantly and by more than PCT percent"},
              csv_flag(),
          }),
          hta_diff_flags()),
      .examples = {{"orrery diff before/ after/", "the change of the step time, and its causes by rank"},
                   {"orrery diff before.json.gz after.json.gz", "the same for one rank"},
                   {"orrery diff log/", "the two runs that TensorBoard's folder holds"},
                   {"orrery diff main/ branch/ --fail-above 2",
                    "in CI: fails if the branch is slower by more than 2 %"}},
      .run = run_diff,
  };
  return verb;
}

}  // namespace orrery::cli

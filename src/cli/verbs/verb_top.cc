// orrery top: what is worth fixing first.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/blame/lever_sheets.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/unprofiled.h"
#include "base/percent.h"
#include "cli/frame/command_line.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::Lever;
using analyze::Levers;

constexpr std::size_t kLeversShown = 15;
constexpr std::size_t kRanksShown = 16;

std::string sentence(const causal::CausalGraph& job, const Levers& levers) {
  std::string text = fmt::format("{}, {}, {}: ", report::counted(job.ranks.size(), "rank"),
                                 job.steps.empty() ? job.label : report::counted(job.steps.size(), "step"),
                                 format_duration(levers.length));
  if (levers.all.empty() || levers.all.front().gain_if_free.value_or(0) == 0)
    return text + "nothing that could be made faster is on the path.";
  const Lever& best = levers.all.front();
  return text + fmt::format("{} matters most: free, it would save {} ({:.1f} %), 10 % faster {} ({:.1f} %).",
                            best.select, format_duration(*best.gain_if_free),
                            share_percent(*best.gain_if_free, levers.length), format_duration(*best.gain_10pct),
                            share_percent(*best.gain_10pct, levers.length));
}

std::string rank_sentence(const causal::CausalGraph& job, const Levers& levers) {
  if (job.ranks.size() == 1) return {};  // nobody to be like
  const auto best = std::max_element(levers.ranks.begin(), levers.ranks.end(), [](const auto& a, const auto& b) {
    return a.gain_if_typical < b.gain_if_typical;
  });
  if (best == levers.ranks.end() || best->gain_if_typical <= 0)
    return "No rank would save anything by being typical.\n";
  return fmt::format("If rank {} were typical, the job would take {} (-{:.1f} %).\n", job.ranks[best->rank].rank,
                     format_duration(levers.length - best->gain_if_typical),
                     share_percent(best->gain_if_typical, levers.length));
}

/// Said where not all were solved.
std::string unsolved_sentence(const Levers& levers) {
  const auto unsolved =
      std::count_if(levers.all.begin(), levers.all.end(), [](const Lever& lever) { return !lever.gain_if_free; });
  if (unsolved == 0) return {};
  return fmt::format(
      "{} on the path were not solved, there being so many: each has less time there than those that were, and saves "
      "at most that.\n",
      report::counted(static_cast<std::size_t>(unsolved), "opportunity", "opportunities"));
}

std::string top_text(const Invocation& invocation, const causal::CausalGraph& job, const Levers& levers) {
  std::string text = invocation.style().paint(report::Tone::strong, sentence(job, levers)) + "\n";
  text += rank_sentence(job, levers) + job_trust_line(job, levers.length) + "\n\n";
  report::SheetView view = invocation.view();
  view.rows = kLeversShown;
  view.rest = "opportunities";
  text += to_text(levers_sheet(job, levers), view) + unsolved_sentence(levers) + "\n";
  if (!levers.unions.empty()) text += to_text(lever_unions_sheet(job, levers), view) + "\n";
  text += to_text(lever_order_sheet(levers), invocation.view()) + "\n";
  text += to_text(lever_pairs_sheet(levers), invocation.view()) + "\n";
  view.rows = kRanksShown;
  view.rest = "ranks";
  view.largest = "gain_if_typical";
  if (job.ranks.size() > 1) text += to_text(rank_gains_sheet(job, levers), view) + "\n";
  text += "derivative: the part of a small saving that reaches the job. overlap: what two savings have in common.\n";
  // whatif takes one operand for the traces; a list of files is not one that could be shown.
  if (levers.order.empty() || invocation.operands().size() != 1) return text;
  std::string flags;
  for (const char* flag : {"clock", "unprofiled", "annotation", "instance"}) {
    if (invocation.has(flag)) flags += fmt::format(" --{} {}", flag, report::shell_quote(invocation.text(flag)));
  }
  // A lever is about all common steps: so is the command that tries it.
  if (!invocation.has("instance") && !job.steps.empty() && !invocation.has("annotation"))
    flags += fmt::format(" --annotation ProfilerStep --instance 0:{}", job.steps.size() - 1);
  return text + fmt::format("Next: try it:  orrery whatif {}{} {}\n",
                            report::shell_quote(invocation.operands().front()), flags,
                            report::shell_quote(levers.all[levers.order.front().lever].select + " * 0.9"));
}

ExitCode run_top(Invocation& invocation) {
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  auto job = load_job_graph(invocation, invocation.operands(), instances, false, {}, RankDetail::graph);
  if (!job) return invocation.fail(job.error());
  if (!is_joined(invocation, *job)) return ExitCode::check_failed;
  const std::optional<Unprofiled> unprofiled = take_profiler_off(invocation, *job);
  const Levers levers = analyze::find_levers(*job);
  if (invocation.json()) {
    write_job_json(invocation.data(), *job, levers.length);
    invocation.data().field("job_us", to_us(levers.length));
    for (const report::Sheet& sheet : analyze::lever_sheets(*job, levers)) write_sheet(invocation.data(), sheet);
  } else if (invocation.csv()) {
    invocation.text() = report::to_csv(analyze::lever_sheets(*job, levers));
  } else {
    invocation.text() = unprofiled_line(unprofiled) + top_text(invocation, *job, levers);
  }
  if (invocation.json()) write_unprofiled_json(invocation.data(), unprofiled);
  return ExitCode::ok;
}

}  // namespace

const Verb& top_verb() {
  static const Verb verb = {
      .name = "top",
      .summary = "what is worth fixing first, over all ranks of a job",
      .description =
          "Everything that could be made faster, on all ranks: every operator and kernel, the transfers of every "
          "group, every sort of "
          "delay. "
          "For each the part of a small saving that reaches the job, and what the job saves, solved again, if it were "
          "free and if it were "
          "10 % "
          "faster. Of the five best: which save the same time, and in which order to work. For each rank: what the job "
          "would save if it "
          "worked like the others.\n\nThe first column is an edit's selection: orrery whatif takes it with an action "
          "behind it.",
      .operands = {.name = "TRACE...",
                   .help = "the traces of all ranks: files, folders or globs",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_job_flags({csv_flag(), unprofiled_flag(), reduce_flag(RankDetail::graph)}),
      .examples = {{"orrery top traces/", "the opportunities of all common steps"},
                   {"orrery top traces/ --annotation ProfilerStep --instance 2", "of the third step alone"}},
      .run = run_top,
  };
  return verb;
}

}  // namespace orrery::cli

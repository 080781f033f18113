// orrery check: can these files be trusted, and what is missing?
#include <fmt/format.h>

#include <algorithm>

#include "align/causality.h"
#include "analyze/trace_check.h"
#include "cli/load.h"
#include "cli/verbs.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;

constexpr std::size_t kShownViolations = 10;

/// Happens-before over the collectives, with times as recorded. Returns how many are violated.
std::size_t check_happens_before(Invocation& invocation, const trace::Trace& job) {
  const align::MatchedCollectives collectives = align::match_collectives(job);
  const align::CausalityReport report = align::check_causality(collectives, align::recorded_times(collectives));
  const auto us = [](TimePs ps) { return static_cast<double>(ps) / 1e6; };
  report::Table table({{"collective", Align::left},
                       {"number", Align::right},
                       {"ends on", Align::left},
                       {"before it starts on", Align::left},
                       {"by us", Align::right}});
  JsonWriter& json = invocation.data();
  json.key("causality").begin_object().field("collectives", report.checked).field("violated", report.violated);
  json.field("unmatched", collectives.unmatched).field("ambiguous", collectives.ambiguous).key("worst").begin_array();
  for (std::size_t i = 0; i < std::min(report.violations.size(), kShownViolations); ++i) {
    const align::Violation& violation = report.violations[i];
    const align::MatchedCollective& collective = collectives.collectives[violation.collective];
    const std::string name(job.strings.text(collective.name));
    const std::int64_t ends = job.ranks[violation.later_node].rank, starts = job.ranks[violation.earlier_node].rank;
    json.begin_object().field("collective", name).field("number", collective.sequence).field("ends_on", ends).field("starts_on", starts);
    json.field("by_us", us(violation.by_ps)).end_object();
    table.add_row({name, std::to_string(collective.sequence), fmt::format("rank {}", ends), fmt::format("rank {}", starts),
                   fmt::format("{:.3f}", us(violation.by_ps))},
                  report::Tone::warning);
  }
  json.end_array().end_object();
  std::string& text = invocation.text();
  text += fmt::format("\nHappens-before: {} of {} collectives end on one rank before they start on another.\n", report.violated,
                      report.checked);
  if (report.violated > 0)
    text += "\n" + table.render(invocation.columns(), invocation.style()) + "\nNext: put the clocks together: orrery align\n";
  return report.violated;
}

ExitCode run_check(Invocation& invocation) {
  const auto job = load_job(invocation, invocation.operands());
  if (!job) return invocation.fail(job.error());
  for (const trace::RankTrace& rank : job->ranks) analyze::check_rank(*job, rank, invocation.diagnostics());
  analyze::check_job(*job, invocation.diagnostics());

  std::uint64_t problems = 0;
  std::uint64_t notes = 0;
  report::Table table(
      {{"code", Align::left}, {"severity", Align::left}, {"count", Align::right}, {"what", Align::left}, {"first", Align::left}});
  const std::vector<Diagnostic> found = invocation.diagnostics().sorted();
  for (const Diagnostic& diagnostic : found) {
    const bool is_problem = diagnostic.kind->severity != Severity::note;
    ++(is_problem ? problems : notes);
    table.add_row({diagnostic.kind->code, to_string(diagnostic.kind->severity), format_count(diagnostic.count), diagnostic.kind->summary,
                   diagnostic.example},
                  is_problem ? report::Tone::warning : report::Tone::plain);
  }
  invocation.data().field("ranks", job->ranks.size()).field("problems", problems).field("notes", notes).field("trusted", problems == 0);
  invocation.set_remarks_in_text();
  std::string& text = invocation.text();
  const auto plural = [](std::uint64_t count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); };
  text = fmt::format("{}: {}, {}.\n", plural(job->ranks.size(), "rank"), plural(problems, "problem"), plural(notes, "note"));
  if (!found.empty()) text += "\n" + table.render(invocation.columns(), invocation.style());
  const std::size_t violated = invocation.has("causality") ? check_happens_before(invocation, *job) : 0;
  return problems + violated == 0 ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace

const Verb& check_verb() {
  static const Verb verb = {
      .name = "check",
      .summary = "can it be trusted, what is missing",
      .description =
          "Reads the traces and reports what is wrong with them or missing from them, with codes, counts, the first place and what to do. "
          "Ends with 1 if there are "
          "problems (warnings or errors), with 0 if there are none or notes only.",
      .operands = {.name = "TRACE...", .help = "files, folders or globs; several are several ranks", .min = 1, .max = Operands::kUnlimited},
      .flags = with_input_flags({Flag{
          .name = "causality", .help = "also hold the collectives of all ranks to happens-before: none ends before all have started"}}),
      .examples = {{"orrery check traces/", "problems of all ranks, and ranks that are missing"},
                   {"orrery check run/*.xplane.pb --causality", "whether the clocks of the nodes contradict the collectives"}},
      .run = run_check,
  };
  return verb;
}

}  // namespace orrery::cli

// orrery check: can these files be trusted, and what is missing?
#include <fmt/format.h>

#include <optional>

#include "align/causality.h"
#include "align/remarks.h"
#include "analyze/trace_check.h"
#include "cli/causality_report.h"
#include "cli/load.h"
#include "cli/verbs.h"
#include "match/exchange_finder.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;

/// Happens-before over the collectives and messages, with times as recorded.
struct HappensBefore {
  match::Exchanges exchanges;
  align::CausalityReport report;
};

HappensBefore check_happens_before(Invocation& invocation, const trace::Trace& job) {
  HappensBefore found;
  found.exchanges = match::find_exchanges(job);
  found.report = align::check_causality(found.exchanges, match::recorded_times(found.exchanges));
  align::remark_on_causality(found.exchanges, found.report, job, invocation.diagnostics());
  return found;
}

void add_happens_before(Invocation& invocation, const trace::Trace& job, const HappensBefore& found) {
  JsonWriter& json = invocation.data();
  json.key("causality").begin_object();
  json.field("answered", found.report.checked > 0);
  if (found.report.checked == 0) json.field("because", why_unchecked(job, found.exchanges, found.report));
  write_causality(json, job, found.report);
  write_causality_details(json, job, found.exchanges, found.report);
  json.end_object();
  invocation.text() += describe_causality(invocation, job, found.exchanges, found.report);
  if (found.report.violated > 0) invocation.text() += "\nNext: put the clocks together: orrery align\n";
}

ExitCode run_check(Invocation& invocation) {
  const auto job = load_job(invocation, invocation.operands());
  if (!job) return invocation.fail(job.error());
  for (const trace::RankTrace& rank : job->ranks) analyze::check_rank(*job, rank, invocation.diagnostics());
  analyze::check_job(*job, invocation.diagnostics());
  std::optional<HappensBefore> causality;
  if (invocation.has("causality")) causality = check_happens_before(invocation, *job);

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
  if (!causality) return problems == 0 ? ExitCode::ok : ExitCode::check_failed;
  add_happens_before(invocation, *job, *causality);
  if (causality->report.checked == 0) return ExitCode::check_failed;  // it was asked for: what could not be checked does not hold
  return problems + causality->report.violated == 0 ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace

const Verb& check_verb() {
  static const Verb verb = {
      .name = "check",
      .summary = "can it be trusted, what is missing",
      .description =
          "Reads the traces and reports what is wrong with them or missing from them, with codes, counts, the first place and what to do. "
          "Ends with 1 if there are problems (warnings or errors) or if causality was asked for and is violated or cannot be checked, with "
          "0 if "
          "there are none or notes only.",
      .operands = {.name = "TRACE...", .help = "files, folders or globs; several are several ranks", .min = 1, .max = Operands::kUnlimited},
      .flags = with_input_flags(
          {Flag{.name = "causality",
                .help = "also hold collectives and messages of all ranks to happens-before: none ends before what it waits for"}}),
      .examples = {{"orrery check traces/", "problems of all ranks, and ranks that are missing"},
                   {"orrery check run/*.xplane.pb --causality", "whether the clocks of the nodes contradict the collectives"}},
      .run = run_check,
  };
  return verb;
}

}  // namespace orrery::cli

// orrery check: can these files be trusted, and what is missing?
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "align/causality.h"
#include "align/remarks.h"
#include "analyze/check/causality_sheets.h"
#include "analyze/check/findings_sheet.h"
#include "analyze/check/trace_check.h"
#include "analyze/check/workload_info.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/causality_report.h"
#include "cli/graphs/rank_questions.h"
#include "match/exchange_finder.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

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

void write_happens_before(JsonWriter& json, const trace::Trace& job, const HappensBefore& found) {
  json.key("causality").begin_object();
  json.field("answered", found.report.checked > 0);
  if (found.report.checked == 0) json.field("because", analyze::why_unchecked(job, found.exchanges, found.report));
  write_causality(json, job, found.report);
  write_causality_details(json, job, found.exchanges, found.report);
  json.end_object();
}

std::vector<report::Sheet> check_sheets(const Invocation& invocation, const trace::Trace& job,
                                        const HappensBefore& found, Diagnostics& all) {
  std::vector<report::Sheet> sheets;
  sheets.push_back(analyze::findings_sheet(all));
  if (!invocation.has("causality")) return sheets;
  sheets.push_back(analyze::causality_sheet(found.report));
  sheets.push_back(analyze::violations_sheet(job, found.exchanges, found.report));
  sheets.push_back(analyze::violating_pairs_sheet(job, found.report));
  sheets.push_back(analyze::mispaired_sheet(job, found.exchanges));
  sheets.push_back(analyze::not_checked_sheet(found.exchanges, found.report));
  return sheets;
}

/// Happens-before is between ranks and needs their events; everything else each rank is asked by itself.
Result<job::RankAnswers> checked_ranks(Invocation& invocation) {
  if (!invocation.has("causality")) return ask_ranks(invocation, invocation.operands(), check_question());
  const auto job = load_job(invocation, invocation.operands());
  if (!job) return job.error();
  return job::RankAnswers{*job, job::answers_of(check_question(), **job)};
}

ExitCode run_check(Invocation& invocation) {
  const auto asked = checked_ranks(invocation);
  if (!asked) return invocation.fail(asked.error());
  const trace::Trace& job = *asked->job;
  std::vector<analyze::RankCheck> checks;
  for (const std::string& answer : asked->answers) {
    PackedReader reader(answer);
    checks.push_back(analyze::RankCheck::unpack(reader));
  }
  if (asked->untimed != nullptr) analyze::check_workload(*asked->untimed, invocation.diagnostics());
  else analyze::check_job(job, checks, invocation.diagnostics());
  const std::size_t ranks = asked->untimed != nullptr ? asked->untimed->rank_count() : job.ranks.size();
  HappensBefore causality;
  const bool has_causality = invocation.has("causality");
  if (has_causality) causality = check_happens_before(invocation, job);

  const std::vector<Diagnostic> found = invocation.diagnostics().sorted();
  const auto problems = static_cast<std::size_t>(std::count_if(found.begin(), found.end(), analyze::is_problem));
  const std::size_t notes = found.size() - problems;
  invocation.set_remarks_in_text();
  std::string& text = invocation.text();
  if (invocation.csv()) {
    text = report::to_csv(check_sheets(invocation, job, causality, invocation.diagnostics()));
  } else if (invocation.json()) {
    invocation.data()
        .field("ranks", ranks)
        .field("problems", problems)
        .field("notes", notes)
        .field("trusted", problems == 0);
    if (has_causality) write_happens_before(invocation.data(), job, causality);
  } else {
    text = fmt::format("{}: {}, {}.\n", report::counted(ranks, "rank"), report::counted(problems, "problem"),
                       report::counted(notes, "note"));
    if (!found.empty()) text += "\n" + to_text(analyze::findings_sheet(invocation.diagnostics()), invocation.view());
    if (has_causality) text += describe_causality(invocation, job, causality.exchanges, causality.report);
    if (causality.report.violated > 0) text += "\nNext: put the clocks together: orrery align\n";
  }
  if (has_causality && causality.report.checked == 0)
    return ExitCode::check_failed;  // it was asked for: what could not be checked does not hold
  return problems + causality.report.violated == 0 ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace

job::RankQuestion check_question() {
  return {"check", [](const trace::Trace& trace, const trace::RankTrace& rank) {
            PackedWriter writer;
            analyze::check_rank(trace, rank).pack(writer);
            return writer.take();
          }};
}

const Verb& check_verb() {
  static const Verb verb = {
      .name = "check",
      .summary = "can it be trusted, what is missing",
      .description =
          "Reads the traces and reports what is wrong with them or missing from them, with codes, counts, the first "
          "place and what to do. "
          "Ends with 1 if there are problems (warnings or errors) or if causality was asked for and is violated or "
          "cannot be checked, with "
          "0 if "
          "there are none or notes only.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({csv_flag(), Flag{.name = "causality",
                                                  .help = "also hold collectives and messages of all ranks to "
                                                          "happens-before: none ends before what it waits for"}}),
      .examples = {{"orrery check traces/", "problems of all ranks, and ranks that are missing"},
                   {"orrery check run/*.xplane.pb --causality",
                    "whether the clocks of the nodes contradict the collectives"}},
      .run = run_check,
  };
  return verb;
}

}  // namespace orrery::cli

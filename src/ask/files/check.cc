#include "ask/files/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "align/alignment.h"
#include "align/causality.h"
#include "analyze/check/causality_sheets.h"
#include "analyze/check/trace_check.h"
#include "analyze/check/workload_info.h"
#include "match/exchange_finder.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using report::Readers;

constexpr std::size_t kShownViolations = 10;

/// Happens-before over the collectives and messages, with times as recorded.
struct HappensBefore {
  match::Exchanges exchanges;
  align::CausalityReport report;
};

HappensBefore check_happens_before(const trace::Trace& job, Diagnostics& diagnostics) {
  HappensBefore found;
  found.exchanges = match::find_exchanges(job);
  found.report = align::check_causality(found.exchanges, match::recorded_times(found.exchanges));
  align::remark_on_causality(found.exchanges, found.report, job, diagnostics);
  return found;
}

/// The worst collectives, the worst pairs of ranks, mis-paired ones, and what was not checked; that nothing could be,
/// if so.
void tell_causality(report::Answer& answer, const trace::Trace& job, const HappensBefore& found) {
  const auto& [exchanges, checked] = found;
  const bool is_answered = checked.checked > 0;
  answer.facts().field("answered", is_answered);
  if (!is_answered) {
    const std::string because = analyze::why_unchecked(job, exchanges, checked);
    answer.facts().field("because", because);
    answer.gap().line(fmt::format("Happens-before: could not be checked, because {}.", because));
  } else {
    std::string text =
        fmt::format("Happens-before: {} of {} collectives and messages end on one rank before they start on another",
                    format_count(checked.violated), format_count(checked.checked));
    if (checked.violated > 0)
      text +=
          fmt::format(": {} ends, by up to {:.3f} µs", format_count(checked.early_ends), to_us(checked.largest_ps()));
    answer.gap().line(text + ".");
  }
  answer.table(analyze::causality_sheet(checked),
               {.readers = Readers::programs_and_tables, .form = report::Form::members});
  const auto add = [&](std::string_view sentence, report::Sheet sheet) {
    const bool people_too = is_answered && sheet.rows() > 0;
    if (people_too) answer.gap().line(sentence).gap();
    answer.table(std::move(sheet), {.view = {.rows = kShownViolations, .rest = "like these"},
                                    .readers = people_too ? Readers::all : Readers::programs_and_tables});
  };
  add("The worst:", analyze::violations_sheet(job, exchanges, checked));
  add("By pair of ranks:", analyze::violating_pairs_sheet(job, checked));
  add("These would have to come before themselves: what was taken for one collective is not one.",
      analyze::mispaired_sheet(job, exchanges));
  const std::string left_out = is_answered ? analyze::not_checked_in_words(exchanges, checked) : std::string();
  if (!left_out.empty()) answer.gap().line(fmt::format("Not checked: {}.", left_out));
  answer.table(analyze::not_checked_sheet(exchanges, checked),
               {.readers = Readers::programs_and_tables, .form = report::Form::row});
}

/// Happens-before is between ranks and needs their events; everything else each rank is asked by itself.
Result<job::RankAnswers> checked_ranks(Context& context, const CheckRequest& request) {
  if (!request.causality) return ask_ranks(context, request.recording, check_question());
  const auto job = load_trace(context, request.recording, {.launch_arrows = true});
  if (!job) return job.error();
  return job::RankAnswers{*job, job::answers_of(check_question(), **job)};
}

}  // namespace

Result<report::Answer> run(const CheckRequest& request, Context& context) {
  const auto asked = checked_ranks(context, request);
  if (!asked) return asked.error();
  const trace::Trace& job = *asked->job;
  std::vector<analyze::RankCheck> checks;
  for (const std::string& answer : asked->answers) {
    PackedReader reader(answer);
    checks.push_back(analyze::RankCheck::unpack(reader));
  }
  Diagnostics& diagnostics = context.diagnostics();
  if (asked->untimed != nullptr) analyze::check_workload(*asked->untimed, diagnostics);
  else analyze::check_job(job, checks, diagnostics);
  const std::size_t ranks = asked->untimed != nullptr ? asked->untimed->rank_count() : job.ranks.size();
  HappensBefore causality;
  if (request.causality) causality = check_happens_before(job, diagnostics);

  const std::vector<Diagnostic> found = diagnostics.sorted();
  const auto problems = static_cast<std::size_t>(std::count_if(found.begin(), found.end(), analyze::is_problem));
  const std::size_t notes = found.size() - problems;
  report::Answer answer = context.answer();
  answer.set_remarks_in_text();
  answer.line(fmt::format("{}: {}, {}.", report::counted(ranks, "rank"), report::counted(problems, "problem"),
                          report::counted(notes, "note")));
  report::Facts& facts = answer.facts();
  facts.field("ranks", ranks).field("problems", problems).field("notes", notes).field("trusted", problems == 0);
  if (!found.empty()) answer.gap();
  // Programs have the remarks of every answer.
  answer.table(analyze::findings_sheet(diagnostics), {.readers = Readers::people_and_tables});
  if (request.causality) {
    facts.key("causality").begin_object();
    tell_causality(answer, job, causality);
    facts.end_object();
  }
  if (causality.report.violated > 0) answer.gap().line("Next: put the clocks together: orrery align");
  // It was asked for: what could not be checked does not hold.
  const bool is_unchecked = request.causality && causality.report.checked == 0;
  if (is_unchecked || problems + causality.report.violated > 0) answer.set_failed();
  return answer;
}

job::RankQuestion check_question() {
  return {"check", [](const trace::Trace& trace, const trace::RankTrace& rank) {
            PackedWriter writer;
            analyze::check_rank(trace, rank).pack(writer);
            return writer.take();
          }};
}

}  // namespace orrery::ask

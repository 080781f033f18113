#include "ask/graphs/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analyze/diff/clock_change.h"
#include "analyze/diff/diff_sheets.h"
#include "analyze/whatif/whatif.h"
#include "ask/devices/hta_job.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/request_diff.h"
#include "base/percent.h"
#include "graph/longest_path.h"
#include "report/bar.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using analyze::ChangeCause;
using analyze::ComparedRun;
using analyze::RunDiff;
using report::Readers;

constexpr std::size_t kCausesShown = 10;

constexpr DiagnosticKind kRankOfOneRun{"J820", Severity::warning, "rank that only one of the runs has",
                                       "its segments count as removed or new; compare what both have with --rank"};

void remark_other_ranks(Context& context, const causal::CausalGraph& a, const causal::CausalGraph& b, char which) {
  for (const causal::JobRank& rank : a.ranks) {
    const auto is_same = [&](const causal::JobRank& other) { return other.rank == rank.rank; };
    if (std::any_of(b.ranks.begin(), b.ranks.end(), is_same)) continue;
    context.diagnostics().add(kRankOfOneRun, [&] { return fmt::format("rank {} of {}", rank.rank, which); });
  }
}

std::string signed_duration(TimePs time) { return (time > 0 ? "+" : "") + format_duration(time); }

/// "B takes 12.9 ms a step, A 11.8 ms: slower by 9.1 % (+1.07 ms; 95 % interval +1.02 ms to +1.11 ms)."
std::string diff_sentence(const RunDiff& diff, bool is_whole) {
  const analyze::Comparison& spans = diff.spans;
  const bool is_sure = spans.significant.value_or(false);
  const double percent = change_percent(spans.a, spans.b);
  std::string text = fmt::format("B takes {}{}, A {}: {}", format_duration(spans.b),
                                 is_whole ? " as a whole" : " a step", format_duration(spans.a), diff.verdict());
  if (is_sure) text += fmt::format(" by {:.1f} %", std::abs(percent));
  text += fmt::format(" ({}", signed_duration(spans.b - spans.a));
  if (!is_sure) text += fmt::format(", {:+.1f} %", percent);
  if (spans.change)
    text += fmt::format("; 95 % interval {} to {}", signed_duration(spans.change->low),
                        signed_duration(spans.change->high));
  return text + ").";
}

/// Which of the ranks add most of what the cause does; nothing to say where there is one only.
std::string whose(const ChangeCause& cause, bool of_one_rank) {
  if (of_one_rank || cause.ranks.empty()) return "";
  if (cause.ranks.size() == 1) return fmt::format(" on rank {}", cause.ranks.front().rank);
  const auto largest = std::max_element(cause.ranks.begin(), cause.ranks.end(), [](const auto& x, const auto& y) {
    return std::llabs(x.contribution) < std::llabs(y.contribution);
  });
  return fmt::format(" on {}, most on rank {} ({})", report::counted(cause.ranks.size(), "rank"), largest->rank,
                     signed_duration(largest->contribution));
}

std::string cause_sentence(const RunDiff& diff, bool of_one_rank) {
  if (diff.causes.empty() || diff.causes.front().contribution == 0)
    return "Nothing that was recorded adds to it or takes from it.";
  const ChangeCause& largest = diff.causes.front();
  const bool is_in_both = largest.a_count != 0 && largest.b_count != 0;
  return fmt::format("The largest cause is {} {}: it {} {}{}.",
                     is_in_both ? to_string(largest.kind) : to_string(largest.status), label_of(largest),
                     largest.contribution > 0 ? "adds" : "takes away",
                     format_duration(std::llabs(largest.contribution)), whose(largest, of_one_rank));
}

void tell_interval(report::Facts& facts, std::string_view name, const std::optional<analyze::TimeInterval>& interval) {
  facts.key(name);
  if (!interval) facts.null();
  else facts.begin_array().value(to_us(interval->low)).value(to_us(interval->high)).end_array();
}

void tell_run(report::Facts& facts, std::string_view name, const ComparedRun& run) {
  facts.key(name).begin_object();
  facts.key("steps").begin_array();
  for (const std::string& step : run.steps) facts.value(step);
  facts.end_array();
  facts.field("median_us", to_us(run.median_span()));
  tell_interval(facts, "interval_us", run.interval);
  tell_job(facts, run.step, graph::solve(run.step.graph, run.step.end).length());
  facts.end_object();
}

/// "SM clock, 900 MHz instead of 1,898, explains 99 % of it"
std::string clock_phrase(const analyze::ClockChange& clock) {
  const auto mhz = [](double value) { return format_count(static_cast<std::uint64_t>(std::llround(value))); };
  return fmt::format("SM clock, {} MHz instead of {}, explains {:.0f} % of it", mhz(clock.b_mhz), mhz(clock.a_mhz),
                     clock.explained_pct);
}

void tell_clock(report::Facts& facts, const analyze::ClockChange& clock) {
  facts.key("clock").begin_object().field("a_mhz", clock.a_mhz).field("b_mhz", clock.b_mhz);
  facts.field("explained_us", to_us(clock.explained)).field("explained_pct", clock.explained_pct);
  facts.key("reasons").begin_array();
  for (const std::string& reason : clock.reasons) facts.value(reason);
  facts.end_array().end_object();
}

void tell_diff_facts(report::Facts& facts, const ComparedRun& a, const ComparedRun& b, const RunDiff& diff,
                     const std::optional<analyze::ClockChange>& clock) {
  tell_run(facts, "a", a);
  tell_run(facts, "b", b);
  facts.field("change_us", to_us(diff.spans.b - diff.spans.a));
  tell_interval(facts, "change_interval_us", diff.spans.change);
  facts.key("significant");
  if (!diff.spans.significant) facts.null();
  else facts.value(*diff.spans.significant);
  const bool is_clock = clock && clock->explains_most();
  facts.field("verdict", is_clock ? fmt::format("{}: the {}", diff.verdict(), clock_phrase(*clock)) : diff.verdict());
  if (clock) tell_clock(facts, *clock);
  facts.key("pair").begin_object();
  facts.field("a_step", a.steps[a.median]).field("b_step", b.steps[b.median]);
  facts.field("a_us", to_us(a.median_span())).field("b_us", to_us(b.median_span()));
  facts.field("change_us", to_us(diff.change)).end_object();
}

/// By hand, not in a Sheet: a row has a list of ranks in it. What no cause explains comes behind them.
void tell_causes(report::Facts& facts, const RunDiff& diff) {
  const auto causes = report::Facts::share(analyze::causes_sheet(diff));
  facts.key("causes").begin_array();
  for (std::size_t row = 0; row < causes->rows(); ++row) {
    facts.begin_object().members(causes, row).key("ranks").begin_array();
    for (const ChangeCause::OfRank& rank : diff.causes[row].ranks)
      facts.begin_object().field("rank", rank.rank).field("contribution_us", to_us(rank.contribution)).end_object();
    facts.end_array().end_object();
  }
  facts.end_array().field("structure_us", to_us(diff.structure));
}

void tell_diff(report::Answer& answer, const ComparedRun& a, const ComparedRun& b, const RunDiff& diff) {
  answer.headline(diff_sentence(diff, a.is_whole));
  const std::string pair =
      a.is_whole ? "The whole traces"
                 : fmt::format("The median steps, {} of A and {} of B,", a.steps[a.median], b.steps[b.median]);
  answer
      .line(fmt::format("{} differ by {}. {}", pair, signed_duration(diff.change),
                        cause_sentence(diff, a.step.ranks.size() == 1 && b.step.ranks.size() == 1)))
      .gap();
  std::optional<analyze::ClockChange> clock;
  if (a.clock.is_known() && b.clock.is_known()) clock = analyze::clock_change(diff, a.clock, b.clock);
  if (clock && clock->explains_most())
    answer
        .line(fmt::format("The {}{}{}.", clock_phrase(*clock),
                          clock->reasons.empty() ? "" : "; held down by: ", fmt::join(clock->reasons, ", ")))
        .gap();
  if (answer.for_programs()) tell_diff_facts(answer.facts(), a, b, diff, clock);
  answer.table(analyze::runs_sheet(a, b), {.readers = Readers::people_and_tables}).gap();
  answer.table([&] { return analyze::kind_changes_sheet(diff); }, {.readers = Readers::programs_and_tables});
  // What adds nothing comes last.
  const auto adds = [](const ChangeCause& cause) { return cause.contribution != 0; };
  const std::size_t shown =
      std::min<std::size_t>(kCausesShown, std::count_if(diff.causes.begin(), diff.causes.end(), adds));
  if (answer.for_programs()) tell_causes(answer.facts(), diff);
  answer.table([&] { return analyze::causes_sheet(diff); },
               {.view = {.rows = shown, .rest = "classes"},
                .readers = shown > 0 ? Readers::people_and_tables : Readers::tables});
  answer.table([&] { return analyze::cause_ranks_sheet(diff); }, {.readers = Readers::tables});
  if (shown == 0) return;
  answer.line(fmt::format("Other dependencies or another order: {}. All together are {}.",
                          signed_duration(diff.structure), signed_duration(diff.change)));
  answer.line(
      "adds: how much longer it makes the step, while it is on the path from A to B. surely: its time per step differs "
      "significantly.");
}

/// "Device time goes from 309 µs to 391 µs (+81.3 µs): 100.0 % of that of A and 98.2 % of that of B is of operators
/// that the other has, too."
std::string device_sentence(const analyze::OperatorChanges& changes, bool has_operators) {
  const auto share = [](TimePs matched, TimePs all) {
    return report::percent(static_cast<double>(matched), static_cast<double>(all));
  };
  return fmt::format(
      "Device time goes from {} to {} ({}): {} of that of A and {} of that of B is of {} that the other "
      "has, too.",
      format_duration(changes.a), format_duration(changes.b), signed_duration(changes.b - changes.a),
      share(changes.a_matched, changes.a), share(changes.b_matched, changes.b),
      has_operators ? "operators" : "kernels");
}

void tell_operators(report::Answer& answer, const ComparedRun& a, const ComparedRun& b) {
  if (answer.for_people()) {
    // Modules of one model do the same: people see what became of it in all of them together.
    const analyze::OperatorChanges changes = analyze::compare_operators(a.device_work, b.device_work, false);
    const auto& rows = changes.rows;
    const auto differs = [](const analyze::OperatorChange& row) { return row.change() != 0; };
    const std::size_t shown = std::min<std::size_t>(kCausesShown, std::count_if(rows.begin(), rows.end(), differs));
    const auto has_operator = [](const analyze::OperatorChange& row) { return !row.key.op.empty(); };
    if (shown > 0) {
      answer.gap().line(device_sentence(changes, std::any_of(rows.begin(), rows.end(), has_operator))).gap();
      answer.table(analyze::operator_changes_sheet(changes),
                   {.view = {.rows = shown, .rest = "rows"}, .readers = Readers::people});
    }
  }
  if (!answer.reads(Readers::programs_and_tables)) return;
  const analyze::OperatorChanges changes = analyze::compare_operators(a.device_work, b.device_work, true);
  answer.table(analyze::operator_changes_sheet(changes), {.readers = Readers::programs_and_tables});
  answer.table(analyze::matched_sheet(changes), {.readers = Readers::programs_and_tables, .form = report::Form::row});
}

/// One after the other: of a run that was looked at, only what is compared is kept.
Result<ComparedRun> load_compared_run(Context& context, const DiffRequest& request, const std::string& name,
                                      CompareBy by, std::vector<analyze::UnfittingCapture>& unfitting,
                                      analyze::PieceClasses& classes) {
  RecordingRequest recording = request.each.recording;
  recording.files = context.named_by(name);
  recording.unfitting = &unfitting;
  const Result<job::RecordedJob> job =
      load_recorded_job(context, recording, request.each.clock, by == CompareBy::operators);
  if (!job) return job.error();
  return compared_run(context, *job, name, request.each.window, by, classes);
}

/// A capture is of one of the runs, or of both: only one that fits neither is a mistake.
void remark_captures(Context& context, const std::vector<analyze::UnfittingCapture>& of_a,
                     const std::vector<analyze::UnfittingCapture>& of_b) {
  for (analyze::UnfittingCapture capture : of_a) {
    const auto is_it = [&](const analyze::UnfittingCapture& other) { return other.file == capture.file; };
    const auto other = std::find_if(of_b.begin(), of_b.end(), is_it);
    if (other == of_b.end()) continue;
    capture.best_share = std::max(capture.best_share, other->best_share);
    analyze::remark_unfitting(capture, context.diagnostics());
  }
}

/// Two runs that are named, or one folder of two.
Result<std::pair<ComparedRun, ComparedRun>> load_both(Context& context, const DiffRequest& request, CompareBy by,
                                                      analyze::PieceClasses& classes) {
  std::optional<Result<ComparedRun>> a, b;
  std::string name_of_a = request.runs.front(), name_of_b = request.runs.back();
  if (request.runs.size() == 1) {
    const auto two = load_two_runs(context, name_of_a, request.each.recording, by);
    if (!two) return two.error();
    name_of_a = two->name_of_a, name_of_b = two->name_of_b;
    a = compared_run(context, two->a, name_of_a, request.each.window, by, classes);
    if (*a) b = compared_run(context, two->b, name_of_b, request.each.window, by, classes);
  } else {
    std::vector<analyze::UnfittingCapture> of_a, of_b;
    a = load_compared_run(context, request, name_of_a, by, of_a, classes);
    if (*a) b = load_compared_run(context, request, name_of_b, by, of_b, classes);
    remark_captures(context, of_a, of_b);
  }
  if (!*a) return a->error();
  if (!*b) return b->error();
  if (const Status alike = check_alike(**a, **b, name_of_a, name_of_b); !alike) return alike.error();
  return std::pair(std::move(**a), std::move(**b));
}

std::optional<Error> check_diff_mode(const DiffRequest& request) {
  const GraphRequest& each = request.each;
  return check_mode(request.compat,
                    {{"rank", each.recording.rank.has_value()},
                     {"without-profiler", each.recording.without_profiler},
                     {"capture", !each.recording.captures.empty()},
                     {"rules", !each.recording.rules.empty()},
                     {"counters", !each.recording.counters.empty()},
                     {"by", request.by.has_value()},
                     {"fail-above", request.fail_above.has_value()},
                     {"annotation", each.window.annotation.has_value()},
                     {"instance", each.window.instances.first.has_value()},
                     {"clock", each.clock != job::ClockChoice::automatic}},
                    {{"on", request.on.has_value()},
                     {"control-step", request.control_step.has_value()},
                     {"test-step", request.test_step.has_value()},
                     {"short-names", request.short_names}});
}

Result<report::Answer> run_diff_as_hta(const DiffRequest& request, Context& context) {
  if (request.runs.size() != 2) return misuse("diff takes two runs, A and B", "name both");
  RecordingRequest control = request.each.recording, test = request.each.recording;
  control.files = context.named_by(request.runs.front());
  test.files = context.named_by(request.runs.back());
  return diff_as_hta(control, test,
                     {.rows = request.on.value_or(analyze::hta::DiffRows::all),
                      .control_step = request.control_step,
                      .test_step = request.test_step,
                      .short_names = request.short_names},
                     context);
}

/// What would be ignored is refused.
Status check_no_steps(const DiffRequest& request) {
  const std::pair<bool, const char*> of_steps[] = {{request.fail_above.has_value(), "fail-above"},
                                                   {request.by.has_value(), "by"},
                                                   {request.each.recording.rank.has_value(), "rank"},
                                                   {request.each.window.annotation.has_value(), "annotation"},
                                                   {request.each.window.instances.first.has_value(), "instance"}};
  for (const auto& [is_given, flag] : of_steps) {
    if (is_given) return misuse(fmt::format("--{} is about steps, and logs of requests have none", flag));
  }
  return {};
}

}  // namespace

Result<report::Answer> run(const DiffRequest& request, Context& context) {
  if (const auto error = check_diff_mode(request)) return *error;
  if (request.compat == Compat::hta) return run_diff_as_hta(request, context);
  if (names_request_log(context, request.runs)) {
    if (const Status good = check_no_steps(request); !good) return good.error();
    return diff_requests(context, request.runs);
  }
  const double most = request.fail_above.value_or(0);
  if (most < 0) return misuse("--fail-above takes a slowdown in percent", "like --fail-above 2");
  analyze::PieceClasses classes;
  const CompareBy by = request.by.value_or(CompareBy::operators);
  const auto runs = load_both(context, request, by, classes);
  if (!runs) return runs.error();
  const auto& [a, b] = *runs;
  if (!has_path(context, a.step) || !has_path(context, b.step)) return context.failed();
  if (a.step.ranks.size() > 1 || b.step.ranks.size() > 1) {
    remark_other_ranks(context, a.step, b.step, 'A');
    remark_other_ranks(context, b.step, a.step, 'B');
  }
  const RunDiff diff = analyze::compare_runs(a, b, classes);
  report::Answer answer = context.answer();
  tell_diff(answer, a, b, diff);
  tell_operators(answer, a, b);
  const double slowdown = diff.spans.significant.value_or(false) ? change_percent(diff.spans.a, diff.spans.b) : 0;
  if (request.fail_above && slowdown > most) {
    answer.set_failed();
    answer.gap().line(fmt::format("B is slower by {:.3g} %: more than the {:.3g} % of --fail-above.", slowdown, most));
  }
  return answer;
}

}  // namespace orrery::ask

#include "ask/graphs/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/blame/blame_sheets.h"
#include "analyze/blame/throttled.h"
#include "analyze/straggler/straggler.h"
#include "analyze/whatif/recorded_collectives.h"
#include "ask/devices/hta_job.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/unprofiled.h"
#include "base/numbers.h"
#include "base/percent.h"
#include "report/bar.h"
#include "report/counted.h"
#include "report/text_width.h"

namespace orrery::ask {
namespace {

using analyze::Blame;
using analyze::Cause;
using analyze::Pattern;
using analyze::RankBlame;
using causal::CausalGraph;
using causal::EdgeKind;
using report::Readers;

/// Above this a matrix is wider than a terminal, and its largest cells say more.
constexpr std::size_t kMatrixRanks = 16;
constexpr std::size_t kWorstRows = 10;
constexpr std::size_t kNameColumns = 48;  // in a sentence

std::string blame_percent(TimePs part, TimePs whole) {
  return report::percent(static_cast<double>(part), static_cast<double>(whole));
}

// What the rank did, to stand behind "by".
std::string in_words(const CausalGraph& job, const causal::PieceClass& work) {
  // Steps lose their number, and those called "train 3" keep the blank before it.
  std::string_view text = job.strings.text(work.name);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::string name = report::truncate_middle(report::printable(text), kNameColumns);
  switch (work.kind) {
    case EdgeKind::cpu_untraced:
      // The step's own range, whose number was taken off, is not worth naming.
      return work.name == 0 || name.ends_with('#') ? "time it did not record in its step"
                                                   : "time it did not record in " + name;
    case EdgeKind::cpu_operator: return "operator " + name;
    case EdgeKind::cpu_python: return "Python: " + name;
    case EdgeKind::cpu_runtime: return "calls of " + name;
    case EdgeKind::data_loading: return "loading data: " + name;
    case EdgeKind::kernel: return "kernel " + name;
    case EdgeKind::communication: return "transfers of " + name;
    case EdgeKind::before: return "beginning later";
    case EdgeKind::earlier_work: return "work from before the recording";
    default:
      return work.name == 0 ? std::string(to_string(work.kind)) : fmt::format("{} of {}", to_string(work.kind), name);
  }
}

std::size_t most_blamed(const Blame& blame) {
  const auto most =
      std::max_element(blame.ranks.begin(), blame.ranks.end(),
                       [](const RankBlame& a, const RankBlame& b) { return a.caused_root < b.caused_root; });
  return static_cast<std::size_t>(most - blame.ranks.begin());
}

std::string blame_summary(const CausalGraph& job, const Blame& blame) {
  const std::string head = fmt::format("{}, {}, {}: ", report::counted(job.ranks.size(), "rank"),
                                       job.is_whole_trace ? job.label : report::counted(job.steps.size(), "step"),
                                       format_duration(job.span));
  if (blame.exposed == 0)
    return head + (blame.raw == 0 ? "nobody waits for another."
                                  : fmt::format("nobody loses time by waiting; other work hides all {} of it.",
                                                format_duration(blame.raw)));
  std::string text = fmt::format("{}{} are spent waiting ({} of all ranks' time)", head, format_duration(blame.exposed),
                                 blame_percent(blame.exposed, blame.rank_time()));
  const std::size_t worst = most_blamed(blame);
  const TimePs caused = blame.ranks[worst].caused_root;
  if (caused == 0) return text + "; the clocks leave open who caused it.";
  text += fmt::format("; rank {} caused {} of it", job.ranks[worst].rank, blame_percent(caused, blame.exposed));
  const auto cause =
      std::find_if(blame.causes.begin(), blame.causes.end(), [&](const Cause& c) { return c.rank == worst; });
  text += fmt::format(", mostly by {} ({})", in_words(job, cause->work), format_duration(cause->blame));
  const std::optional<analyze::Throttled> throttled = analyze::find_throttled(job)[worst];
  // A slow clock makes kernels slow; it does not excuse the host.
  if (throttled && cause->work.kind == EdgeKind::kernel)
    text += fmt::format("; its device is throttled, {}", analyze::in_words(*throttled));
  return text + ".";
}

// The straggler that is worth most; of a job without one, whoever caused most.
std::size_t judged_rank(const Blame& blame) {
  std::size_t judged = most_blamed(blame);
  const auto gain = [&](std::size_t r) {
    const Pattern pattern = blame.ranks[r].straggler.pattern;
    const bool is_named = pattern == Pattern::persistent || pattern == Pattern::intermittent;
    return is_named && blame.slowdown.ranks[r] ? blame.slowdown.ranks[r]->gain_if_typical : -1;
  };
  for (std::size_t r = 0; r < blame.ranks.size(); ++r) {
    if (gain(r) > gain(judged)) judged = r;
  }
  return judged;
}

std::string pattern_in_words(const analyze::Straggler& straggler, bool too_few_steps) {
  if (too_few_steps) return fmt::format("; so few steps cannot tell that from chance (p = {:.2g}).", straggler.p);
  const std::size_t outliers = straggler.outlier_steps.size();
  switch (straggler.pattern) {
    case Pattern::persistent: return fmt::format(": a persistent straggler (p = {:.2g}).", straggler.p_late);
    case Pattern::intermittent:
      return fmt::format("; {} of its steps stand{} out: an intermittent straggler (p = {:.2g}).", outliers,
                         outliers == 1 ? "s" : "", straggler.p_exceptions);
    case Pattern::none:
    case Pattern::undecided: break;
  }
  // Late beyond chance, and yet not worth a name.
  if (straggler.chance() <= analyze::kUnlikely)
    return fmt::format("; that is no chance (p = {:.2g}), but worth less than {:g} % of the job.", straggler.chance(),
                       100 * analyze::kWorthFixing);
  return fmt::format(", which chance explains as well (p = {:.2g}).", straggler.chance());
}

// Whether it is a straggler, as far as the steps can tell.
std::string straggler_judgement(const CausalGraph& job, const Blame& blame) {
  const std::size_t steps = blame.steps.steps();
  const std::size_t judged = judged_rank(blame);
  const analyze::Straggler& straggler = blame.ranks[judged].straggler;
  std::string text;
  if (!job.steps.empty()) {
    text = fmt::format("Rank {} was the worst in {} of {}{}", job.ranks[judged].rank, straggler.worst_in_steps,
                       report::counted(steps, "step"),
                       pattern_in_words(straggler, analyze::too_few_steps(steps, blame.ranks.size())));
  }
  if (const auto& slowdown = blame.slowdown.ranks[judged]; slowdown && slowdown->gain_if_typical != 0) {
    const TimePs measured = blame.slowdown.measured;
    text += fmt::format("{}If it were typical, the job would take {} ({:+.1f} %).", text.empty() ? "" : " ",
                        format_duration(measured - slowdown->gain_if_typical),
                        -share_percent(slowdown->gain_if_typical, measured));
  }
  return text.empty() ? text : text + "\n";
}

std::string blame_remarks(const Blame& blame) {
  const analyze::Slowdown& slowdown = blame.slowdown;
  std::string text =
      fmt::format("With typical ranks only it would take {} (slowdown {:.3f}); {} of waiting would remain",
                  format_duration(slowdown.ideal), slowdown.factor(), format_duration(slowdown.remaining_wait));
  text += fmt::format("; with typical transfers as well {} (slowdown {:.3f}).\n", format_duration(slowdown.ideal_both),
                      slowdown.both());
  text += fmt::format("Of {} between arrivals and the last one needed, {} are hidden by other work.",
                      format_duration(blame.raw), format_duration(std::max<TimePs>(0, blame.raw - blame.exposed)));
  if (blame.unresolved > 0)
    text += fmt::format(" {} are within what the clocks leave open, and blamed on nobody.",
                        format_duration(blame.unresolved));
  return text + "\n";
}

/// By hand, not in a Sheet, are lists within rows: the steps of a rank that stand out, the ranks of a step.
void tell_blamed_ranks(report::Facts& facts, const CausalGraph& job, const Blame& blame) {
  const auto sheet = report::Facts::share(analyze::blamed_ranks_sheet(job, blame));
  const std::vector<std::optional<analyze::Throttled>> throttled = analyze::find_throttled(job);
  facts.key("ranks").begin_array();
  for (std::size_t r = 0; r < sheet->rows(); ++r) {
    facts.begin_object().members(sheet, r).key("outlier_steps").begin_array();
    for (const std::uint32_t step : blame.ranks[r].straggler.outlier_steps) facts.value(analyze::step_name(job, step));
    facts.end_array();
    if (throttled[r]) {
      facts.key("throttled").begin_object().field("mhz", throttled[r]->mhz);
      facts.field("typical_mhz", throttled[r]->typical_mhz).key("reasons").begin_array();
      for (const std::string& reason : throttled[r]->reasons) facts.value(reason);
      facts.end_array().end_object();
    }
    facts.end_object();
  }
  facts.end_array();
}

void tell_blamed_steps(report::Facts& facts, const CausalGraph& job, const Blame& blame) {
  const auto sheet = report::Facts::share(analyze::blamed_steps_sheet(job, blame));
  facts.key("steps").begin_array();
  for (std::size_t k = 0; k < sheet->rows(); ++k) {
    facts.begin_object().members(sheet, k).key("ranks").begin_array();
    for (std::size_t r = 0; r < blame.ranks.size(); ++r) {
      facts.begin_object().field("rank", job.ranks[r].rank);
      facts.field("caused_root_us", to_us(blame.steps.at(k, r))).end_object();
    }
    facts.end_array().end_object();
  }
  facts.end_array();
}

void tell_wait(report::Facts& facts, const Blame& blame) {
  facts.key("wait").begin_object();
  facts.field("raw_us", to_us(blame.raw)).field("exposed_us", to_us(blame.exposed));
  facts.field("unresolved_us", to_us(blame.unresolved)).field("remaining_us", to_us(blame.slowdown.remaining_wait));
  facts.end_object();
}

void tell_blame_tables(report::Answer& answer, const CausalGraph& job, const Blame& blame) {
  const bool is_lost = blame.exposed > 0, is_small = job.ranks.size() <= kMatrixRanks;
  const auto worst = [](std::string_view rest, std::string_view largest = {}) {
    return report::SheetView{.rows = kWorstRows, .rest = rest, .largest = largest};
  };
  const auto people_too = [](bool shown) { return shown ? Readers::all : Readers::programs_and_tables; };
  if (is_lost && is_small)
    answer.table([&] { return analyze::blame_matrix_sheet(job, blame); }, {.readers = Readers::people}).gap();
  answer.table([&] { return analyze::blame_pairs_sheet(job, blame); },
               {.view = worst("pairs", "root"), .readers = people_too(is_lost && !is_small)});
  if (is_lost && !is_small) answer.gap();
  if (answer.for_programs()) tell_blamed_ranks(answer.facts(), job, blame);
  answer.table(
      [&] { return analyze::blamed_ranks_sheet(job, blame); },
      {.view = is_small ? report::SheetView{} : worst("ranks", "caused_root"), .readers = Readers::people_and_tables});
  // People see no table without a row.
  const auto add = [&](bool shown, std::string_view rest, const auto& make) {
    if (shown) answer.gap();
    answer.table(make, {.view = worst(rest), .readers = people_too(shown)});
  };
  add(!blame.causes.empty(), "causes", [&] { return analyze::causes_sheet(job, blame); });
  add(!blame.operations.empty(), "operations", [&] { return analyze::blamed_operations_sheet(job, blame); });
  const bool shows_steps = is_lost && job.steps.size() > 1;
  if (shows_steps) answer.gap();
  if (answer.for_programs()) tell_blamed_steps(answer.facts(), job, blame);
  answer.table([&] { return analyze::blamed_steps_sheet(job, blame); },
               {.view = worst("steps"), .readers = shows_steps ? Readers::people_and_tables : Readers::tables});
  answer.table([&] { return analyze::blame_cells_sheet(job, blame); }, {.readers = Readers::programs_and_tables});
  answer.table([&] { return analyze::recorded_collectives_sheet(analyze::recorded_collectives(job)); },
               {.readers = Readers::programs});
  answer.table([&] { return analyze::slowdown_sheet(blame); },
               {.readers = Readers::programs_and_tables, .form = report::Form::row});
}

/// As the straggler study has it: all in one object, since `ranks` and `steps` are others than ours.
Result<report::Answer> blame_as_study(const BlameRequest& request, Context& context) {
  const auto trace = load_trace(context, request.graph.recording);
  if (!trace) return trace.error();
  const auto graph = match::make_operation_graph(**trace);
  if (!graph) return graph.error();
  const auto study = analyze::study_stragglers(*graph, (*trace)->ranks.front().source.path);
  if (!study) return study.error();
  report::Answer answer = context.answer();
  const auto time = [](double ps) { return format_duration(std::llround(ps)); };
  const auto slowest = std::max_element(study->workers.begin(), study->workers.end(),
                                        [](const auto& a, const auto& b) { return a.factor < b.factor; });
  answer.headline(fmt::format("{}, {}: a step takes {}; were all workers alike, it would take {} (slowdown {:.3f}).",
                              report::counted(study->workers.size(), "worker"),
                              report::counted(study->steps.size(), "step"), time(study->measured), time(study->ideal),
                              study->slowdown()));
  answer.line(fmt::format(
      "The slowest 3 % of the workers, rank {} first, explain {:.0f} % of the difference, the last stage {:.0f} %.",
      slowest->rank, 100 * study->workers_share, 100 * study->last_stage_share));
  answer.gap();
  using MakeSheet = report::Sheet (*)(const analyze::StragglerStudy&);
  constexpr MakeSheet kSheets[] = {analyze::straggler_operations_sheet, analyze::straggler_replicas_sheet,
                                   analyze::straggler_stages_sheet, analyze::straggler_workers_sheet,
                                   analyze::straggler_steps_sheet};
  if (answer.for_programs()) {
    report::Facts& facts = answer.facts();
    facts.key("straggler").begin_object().field("S", study->slowdown());
    facts.field("M_W", study->workers_share).field("M_S", study->last_stage_share);
    facts.field("measured_us", study->measured / kPsPerUs).field("ideal_us", study->ideal / kPsPerUs);
    for (const MakeSheet make : kSheets) {
      const auto sheet = report::Facts::share(make(*study));
      facts.key(sheet->name()).rows(sheet);
    }
    facts.end_object();
  }
  for (const MakeSheet make : kSheets) {
    answer.table([&] { return make(*study); },
                 {.view = {.rows = kWorstRows, .rest = "rows"}, .readers = Readers::people_and_tables});
    answer.gap();
  }
  return answer;
}

std::optional<Error> check_blame_mode(const BlameRequest& request) {
  const GraphRequest& graph = request.graph;
  return check_mode(request.compat,
                    {{"by", request.by.has_value()},
                     {"fail-above", request.fail_above.has_value()},
                     {"reduce", graph.reduce != Reduce::automatic},
                     {"without-profiler", graph.recording.without_profiler},
                     {"rules", !graph.recording.rules.empty()},
                     {"counters", !graph.recording.counters.empty()},
                     {"annotation", graph.window.annotation.has_value()},
                     {"instance", graph.window.instances.first.has_value()},
                     {"clock", graph.clock != job::ClockChoice::automatic}},
                    {{"candidates", request.candidates.has_value()},
                     {"step", !request.steps.empty()},
                     {"include-last-step", request.include_last_step}});
}

}  // namespace

Status parse_step(std::string_view text, std::vector<std::int64_t>& steps) {
  const auto step = parse_number<std::int64_t>(text);
  if (!step) return misuse("--step takes a whole number", "like 3");
  steps.push_back(*step);
  return {};
}

Result<report::Answer> run(const BlameRequest& request, Context& context) {
  if (const auto error = check_blame_mode(request)) return *error;
  if (request.compat == Compat::hta)
    return blame_as_hta({request.graph.recording, request.include_last_step}, request.candidates.value_or(2),
                        request.steps, context);
  if (request.compat == Compat::straggler) return blame_as_study(request, context);
  const double most = request.fail_above.value_or(0);
  if (most < 0) return misuse("--fail-above takes a share of all ranks' time in percent", "like --fail-above 5");
  const causal::JoinOptions options{.by_annotation = request.by == CauseName::annotation};
  // A reduced graph no longer tells where a recorder was called.
  const RankDetail detail = request.graph.recording.without_profiler ? RankDetail::graph : RankDetail::as_needed;
  auto job = load_job_graph(context, request.graph, false, options, detail);
  if (!job) return job.error();
  if (job->ranks.size() < 2)
    return Error{.message = "one rank alone has nobody to wait for",
                 .file = job->ranks.front().source_path,
                 .hint = "name the files of all ranks, or their folder"};
  if (!is_joined(context, *job)) return context.failed();
  const std::optional<Unprofiled> unprofiled =
      take_profiler_off(context, request.graph.recording.without_profiler, std::nullopt, *job);
  const Blame blame = analyze::find_blame(*job, context.diagnostics());
  report::Answer answer = context.answer();
  tell_unprofiled(answer, unprofiled);
  answer.headline(blame_summary(*job, blame));
  if (blame.exposed > 0) answer.text(straggler_judgement(*job, blame));
  answer.text(blame_remarks(blame)).gap();
  if (answer.for_programs()) {
    tell_job(answer.facts(), *job, blame.slowdown.measured);
    tell_wait(answer.facts(), blame);
  }
  tell_blame_tables(answer, *job, blame);
  if (request.fail_above && blame.share_pct() > most) {
    answer.set_failed();
    answer.gap().line(fmt::format("Waiting takes {:.3g} % of all ranks' time: more than the {:.3g} % of --fail-above.",
                                  blame.share_pct(), most));
  }
  return answer;
}

}  // namespace orrery::ask

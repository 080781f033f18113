#include "ask/workloads/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyze/schedule/link_use.h"
#include "analyze/schedule/pricing_sheets.h"
#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/schedule_sheets.h"
#include "ask/workloads/run_page.h"
#include "base/io/output_file.h"
#include "base/percent.h"
#include "job/write/schedule_export.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using report::Readers;
using simulate::PathPiece;
using simulate::RankUse;

constexpr DiagnosticKind kUsualLogGops{
    "S105", Severity::warning, "the machine has no LogGOPS parameters",
    "LogGOPSim's defaults are used, those of a cluster of 2010; add communication: {loggops: ...}"};

std::string simulation_headline(const SimulationResult& result) {
  const auto& ranks = result.schedule.ranks;
  const RankUse& latest = ranks[analyze::last_rank(result.schedule)];
  const auto sooner = [](const RankUse& a, const RankUse& b) { return a.finish_ps < b.finish_ps; };
  const auto* const earliest = std::min_element(ranks.begin(), ranks.end(), sooner);
  std::string text = fmt::format("{} in {} ({})", report::counted(ranks.size(), "rank finishes", "ranks finish"),
                                 format_duration(latest.finish_ps), result.model);
  text += fmt::format(": {:.1f} % of the last rank's time is communication that no computation hides",
                      share_percent(latest.exposed_ps, latest.finish_ps));
  if (earliest->finish_ps != latest.finish_ps)
    text += fmt::format("; rank {} is done first, after {}", earliest - ranks.begin(),
                        format_duration(earliest->finish_ps));
  return text + ".";
}

/// The rows that matter most: many ranks and links do the same, and a table of thousands says nothing.
report::Shown busiest(std::string_view by, std::string_view rest, Readers readers = Readers::all) {
  return {.view = {.rows = report::kShownRows, .rest = rest, .largest = by, .merge_alike = !by.empty()},
          .readers = readers,
          .after_gap = true};
}

void tell_collectives(report::Answer& answer, const SimulationResult& result) {
  const bool are_kept = result.sums == nullptr;
  if (are_kept)
    answer.table([&] { return analyze::collectives_sheet(result.workload, result.schedule); },
                 {.readers = Readers::programs_and_tables});
  answer.table(
      analyze::collective_kinds_sheet(are_kept ? analyze::sums_of(result.schedule) : result.sums->collectives()),
      busiest("", "kinds"));
}

void tell_links(report::Answer& answer, const SimulationResult& result) {
  answer.table(analyze::links_sheet(result.schedule, result.link_names), busiest("busy", "links, less busy"));
  if (result.schedule.link_series.empty()) return;
  const auto over_time = [&] {
    return analyze::link_use_sheet(analyze::link_use(result.schedule, result.link_names),
                                   result.schedule.makespan_ps());
  };
  answer.table(over_time, {.readers = Readers::programs_and_tables});
}

void tell_simulated_path(report::Answer& answer, const SimulationResult& result,
                         const analyze::ScheduleReasons& reasons) {
  const std::span<const PathPiece> path = reasons.path;
  if (path.empty()) return;
  const TimePs makespan = result.schedule.makespan_ps();
  std::size_t changes = 0;
  for (std::size_t i = 1; i < path.size(); ++i) changes += path[i - 1].place.rank != path[i].place.rank ? 1 : 0;
  std::string text = fmt::format("The critical path has {} and changes ranks {}.",
                                 report::counted(path.size(), "segment"), report::counted(changes, "time"));
  // Not every simulator's rules are known here: where its times say nothing, the path has no more to say either.
  if (path.front().from_ps > 0)
    text += fmt::format(" It begins at {}: nothing in the run says why that did not start before.",
                        format_duration(path.front().from_ps));
  answer.gap().line(text);
  report::Shown parts = busiest("", "kinds", Readers::people);
  parts.after_gap = false;  // the sentence is its heading
  answer.table([&] { return analyze::path_parts_sheet(result.workload, path, makespan); }, parts);
  answer.table([&] { return analyze::path_pieces_sheet(result.workload, path); },
               {.readers = Readers::programs_and_tables});
  if (!reasons.reactions.empty())
    answer.table(analyze::reactions_sheet(reasons.reactions, makespan), busiest("", "sorts"));
}

void tell_simulated_waits(report::Answer& answer, const SimulationResult& result, const simulate::WaitSums& waits) {
  answer.gap();
  report::Shown by_kind = busiest("", "kinds");
  by_kind.after_gap = false;  // the empty line is there even if nothing waited
  answer.table(analyze::waits_sheet(waits, result.schedule.ranks.size()), by_kind);
  report::Sheet late = analyze::late_ranks_sheet(waits);
  if (late.rows() == 0) answer.gap().line("No rank waited for another.");
  answer.table(std::move(late), busiest("share", "ranks, less waited for"));
}

void tell_sheets(report::Answer& answer, const RunRequest& request, const SimulationResult& result,
                 const analyze::ScheduleReasons& reasons) {
  answer.headline(simulation_headline(result));
  report::Facts& facts = answer.facts();
  facts.nanoseconds("makespan_ns", result.schedule.makespan_ps()).field("model", result.model);
  if (result.events > 0) facts.field("events", result.events);  // only the simulators that are reproduced count them
  answer.table(analyze::ranks_sheet(result.schedule), busiest("finish", "ranks, done earlier"));
  if (result.phases != nullptr)
    answer.table(analyze::phases_sheet(*result.phases, result.workload.strings, result.schedule.ranks.size()),
                 busiest("", "phases"));
  tell_collectives(answer, result);
  tell_links(answer, result);
  if (result.pricing != nullptr)
    for (report::Sheet& sheet : analyze::pricing_sheets(*result.pricing))
      answer.table(std::move(sheet), {.after_gap = true});
  tell_simulated_path(answer, result, reasons);
  if (request.waits) tell_simulated_waits(answer, result, reasons.waits);
  if (request.per_node && result.sums == nullptr)
    answer.table(analyze::nodes_sheet(result.workload, result.schedule), {.after_gap = true});
}

// The next question: where the time of the rank that ends last goes.
void tell_next_path(report::Answer& answer, std::string folder, const simulate::Schedule& schedule) {
  const std::size_t last = analyze::last_rank(schedule);
  answer.gap();
  // A file with all ranks is for looking at; path wants a file per rank, with what the host did.
  if (!folder.empty() && !job::writes_folder(folder)) {
    answer.line(fmt::format(
        "Next: open {} at https://ui.perfetto.dev, or write a file per rank (-o FOLDER) and ask where one's time "
        "goes: orrery path",
        is_standard_output(folder) ? "it" : folder));
    return;
  }
  const bool is_written = !folder.empty();
  if (is_written && folder.back() == '/') folder.pop_back();
  const std::string file = fmt::format("{}/rank_{}.json.gz", is_written ? folder : "run", last);
  answer.next(fmt::format("where does the time of rank {} go?", last),
              fmt::format("{}orrery path {}", is_written ? "" : "add -o run, then: ", report::shell_quote(file)));
}

/// What pricing did is of interest where it did something: snapshots were taken and kept, or another program was asked.
const simulate::PricingReport* shown_pricing(const simulate::Pricing& pricing, const simulate::Outcome& outcome) {
  const bool took_snapshots = pricing.mode == simulate::PricingMode::snapshot && pricing.keep_snapshots;
  return took_snapshots || outcome.report.asked > 0 ? &outcome.report : nullptr;
}

// A run that ASTRA-sim said nothing about is not what was asked for: it says so first, and is no success.
void tell_sidecar(report::Answer& answer, Context& context, const job::SidecarUse& use) {
  context.log(fmt::format("astra-sidecar: run {} times, {} answers were known", use.runs, use.known_answers));
  answer.facts().field("answered_by_sidecar", use.answered);
  if (use.answered) return;
  answer.line(
      "ASTRA-sim answered nothing: every operation takes what it would take alone, and the times below are not its "
      "own.");
  answer.set_failed();
}

}  // namespace

bool RunRequest::keeps_link_series() const { return report || job::shows_links(output.value_or("")); }

Status tell_simulation(report::Answer& answer, Context& context, const RunRequest& request,
                       const SimulationResult& result, const std::function<void(report::Answer&)>& tell_more) {
  if (request.output) {
    const Status exported = job::export_schedule(result.workload, result.schedule, result.link_names, *request.output);
    if (!exported) return exported;
  }
  analyze::ScheduleReasons reasons, on_page;
  if (result.sums != nullptr) {  // added up while it ran; a path was not asked for
    reasons.waits = result.sums->waits();
  } else {
    auto found =
        analyze::find_reasons(result.workload, result.schedule,
                              {request.path || request.report.has_value(), request.waits}, context.diagnostics());
    if (!found) return found.error();
    reasons = std::move(*found);
  }
  if (request.report) {
    on_page.path = request.path ? reasons.path : std::exchange(reasons.path, {});
    on_page.reactions = request.path ? reasons.reactions : std::exchange(reasons.reactions, {});
  }
  tell_sheets(answer, request, result, reasons);
  if (tell_more && answer.holds()) tell_more(answer);
  tell_next_path(answer, request.output.value_or(""), result.schedule);
  RunOnPage page{result.verb, result.workload, result.schedule, result.link_names, result.model,
                 on_page,     result.machine,  result.sums,     result.phases,     result.has_astra_links};
  page.written_to = request.output.value_or("");
  return write_run_page(answer, context, request.report, std::move(page));
}

// Who needs the whole workload (loggops) or another tool (astra-sidecar) cannot, nor can what lists activities (-o,
// --per-node) or goes back through them (--path): there all steps are in memory.
bool can_be_summed(const RunRequest& request, const simulate::Pricing& pricing) {
  const bool holds_all =
      pricing.model == simulate::PricingModel::loggops || pricing.model == simulate::PricingModel::oracle;
  return !holds_all && !request.output && !request.per_node && !request.path;
}

Result<report::Answer> run_source(Context& context, const RunRequest& request, SimulationRun run,
                                  workload::WorkloadSource& source) {
  const auto run_collected = [&]() -> Result<report::Answer> {
    const auto workload = workload::collect(source);
    if (!workload) return workload.error();
    return run_workload(context, request, std::move(run), *workload);
  };
  if (!can_be_summed(request, run.priced_by.pricing)) return run_collected();
  run.options.use_symmetry = !request.no_symmetry;
  run.options.detail = simulate::Detail::executed_ranks;
  if (request.report) {
    // How many activities there are is known when they ran: few are kept and drawn, of many sums do.
    simulate::SummedSchedule counted;
    const auto first =
        simulate::run(source, run.machine, run.priced_by.pricing, run.options, context.diagnostics(), &counted);
    if (!first) return first.error();
    if (counted.activities() <= kMostDrawnActivities) return run_collected();
  }
  run.options.keep_link_series = request.keeps_link_series();
  Progress progress = context.progress("simulating", 0);
  progress.count("activities");
  run.options.on_progress = [&](std::uint64_t done, std::uint64_t) {
    progress.add(done - std::min(done, progress.done_bytes()));
  };
  simulate::SummedSchedule plain(request.waits);
  simulate::PhasedSchedule phased(request.waits);
  simulate::SummedSchedule& sums = run.shows_phases ? phased : plain;
  const auto outcome =
      simulate::run(source, run.machine, run.priced_by.pricing, run.options, context.diagnostics(), &sums);
  progress.finish();
  if (!outcome) return outcome.error();
  SimulationResult result{run.verb, source.job(), outcome->schedule, outcome->link_names, run.priced_by.name, 0, &sums};
  result.phases = run.shows_phases ? &phased.phases() : nullptr;
  result.machine = &run.machine;
  result.pricing = shown_pricing(run.priced_by.pricing, *outcome);
  report::Answer answer = context.answer();
  if (const Status told = tell_simulation(answer, context, request, result, run.tell_more); !told) return told.error();
  return answer;
}

Result<report::Answer> run_workload(Context& context, const RunRequest& request, SimulationRun run,
                                    const workload::Workload& workload) {
  run.options.use_symmetry = !request.no_symmetry;
  const bool is_drawn = request.report && workload.first_activities().back() <= kMostDrawnActivities;
  const bool shows_every_rank = request.output || request.per_node || run.shows_phases || is_drawn;
  // Ranks that behave alike are executed once; only who looks at each of them needs them written out.
  run.options.detail = shows_every_rank ? simulate::Detail::every_rank : simulate::Detail::executed_ranks;
  run.options.keep_causes = request.path || request.waits || request.report;
  run.options.keep_link_series = request.keeps_link_series();
  if (run.priced_by.pricing.model == simulate::PricingModel::loggops && !run.machine.communication.loggops)
    context.diagnostics().add(kUsualLogGops, [&] { return run.machine.name; });
  Progress progress = context.progress("simulating", workload.first_activities().back());
  progress.count("activities");
  run.options.on_progress = [&](std::uint64_t done, std::uint64_t) {
    progress.add(done - std::min(done, progress.done_bytes()));
  };
  const bool asks_sidecar = run.priced_by.pricing.model == simulate::PricingModel::oracle;
  job::SidecarUse use;
  if (asks_sidecar) {
    auto sidecar = sidecar_options(request.network, run.machine, std::move(run.astra_files));
    if (!sidecar) return sidecar.error();
    run.priced_by.pricing = job::sidecar_pricing(std::move(*sidecar), use);
  }
  const auto outcome = simulate::run(workload, run.machine, run.priced_by.pricing, run.options, context.diagnostics());
  if (!outcome) return outcome.error();
  std::optional<simulate::PhaseSums> phases;
  if (run.shows_phases) phases = simulate::PhaseSums::of(workload, outcome->schedule);
  SimulationResult result{run.verb, workload, outcome->schedule, outcome->link_names, run.priced_by.name};
  result.phases = phases ? &*phases : nullptr;
  result.machine = asks_sidecar ? nullptr : &run.machine;  // its links are not the machine's
  result.pricing = shown_pricing(run.priced_by.pricing, *outcome);
  report::Answer answer = context.answer();
  if (asks_sidecar) tell_sidecar(answer, context, use);
  if (const Status told = tell_simulation(answer, context, request, result, run.tell_more); !told) return told.error();
  return answer;
}

}  // namespace orrery::ask

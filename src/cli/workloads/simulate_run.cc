#include "cli/workloads/simulate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/schedule_sheets.h"
#include "base/io/output_file.h"
#include "cli/frame/command_line.h"
#include "cli/frame/load.h"
#include "cli/graphs/run_page.h"
#include "job/write/schedule_export.h"
#include "simulate/phase_sums.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kUsualLogGops{
    "S105", Severity::warning, "the machine has no LogGOPS parameters",
    "LogGOPSim's defaults are used, those of a cluster of 2010; add communication: {loggops: ...}"};

// The next question: where the time of the rank that ends last goes.
std::string next_step(const Invocation& invocation, const simulate::Schedule& schedule) {
  const std::size_t last = analyze::last_rank(schedule);
  std::string folder = invocation.text("output");
  // A file with all ranks is for looking at; path wants a file per rank, with what the host did.
  if (!folder.empty() && !job::writes_folder(folder)) {
    return fmt::format(
        "\nNext: open {} at https://ui.perfetto.dev, or write a file per rank (-o FOLDER) and ask where one's time "
        "goes: orrery path\n",
        is_standard_output(folder) ? "it" : folder);
  }
  const bool written = !folder.empty();
  if (written && folder.back() == '/') folder.pop_back();
  return fmt::format("\nNext: where does the time of rank {} go?  {}orrery path {}\n", last,
                     written ? "" : "add -o run, then: ",
                     report::shell_quote(fmt::format("{}/rank_{}.json.gz", written ? folder : "run", last)));
}

/// What pricing did is of interest where it did something: snapshots were taken and kept, or another program was asked.
const simulate::PricingReport* shown_pricing(const simulate::Pricing& pricing, const simulate::Outcome& outcome) {
  const bool took_snapshots = pricing.mode == simulate::PricingMode::snapshot && pricing.keep_snapshots;
  return took_snapshots || outcome.report.asked > 0 ? &outcome.report : nullptr;
}

// A run that ASTRA-sim said nothing about is not what was asked for: it says so first, and is no success.
ExitCode finish_sidecar(Invocation& invocation, const job::SidecarUse& use, ExitCode code) {
  invocation.log(fmt::format("astra-sidecar: run {} times, {} answers were known", use.runs, use.known_answers));
  if (invocation.json()) invocation.data().field("answered_by_sidecar", use.answered);
  if (code != ExitCode::ok || use.answered) return code;
  if (!invocation.json() && !invocation.csv())
    invocation.text().insert(0,
                             "ASTRA-sim answered nothing: every operation takes what it would take alone, and the "
                             "times below are not its own.\n");
  return ExitCode::check_failed;
}

}  // namespace

ExitCode finish_simulation(Invocation& invocation, const SimulationReport& report) {
  if (invocation.has("output")) {
    const Status exported =
        job::export_schedule(report.workload, report.schedule, report.link_names, invocation.text("output"));
    if (!exported) return invocation.fail(exported.error());
  }
  const bool shows_path = invocation.has("path");
  analyze::ScheduleReasons reasons, on_page;
  if (report.sums != nullptr) {  // added up while it ran; a path was not asked for
    reasons.waits = report.sums->waits();
  } else {
    auto found = analyze::find_reasons(report.workload, report.schedule,
                                       {shows_path || invocation.has("report"), invocation.has("waits")},
                                       invocation.diagnostics());
    if (!found) return invocation.fail(found.error());
    reasons = std::move(*found);
  }
  if (invocation.has("report")) {
    on_page.path = shows_path ? reasons.path : std::exchange(reasons.path, {});
    on_page.reactions = shows_path ? reasons.reactions : std::exchange(reasons.reactions, {});
  }
  report_simulation(invocation, report, reasons);
  if (!invocation.json() && !invocation.csv()) invocation.text() += next_step(invocation, report.schedule);
  const Status written =
      write_run_page(invocation, {report.workload, report.schedule, report.link_names, report.model, on_page,
                                  report.machine, report.sums, report.phases, report.has_astra_links});
  return written ? ExitCode::ok : invocation.fail(written.error());
}

std::vector<Flag> with_run_flags(std::vector<Flag> flags) {
  flags.insert(
      flags.end(),
      {csv_flag(), Flag{.name = "per-node", .help = "also list the start and end of every node"},
       Flag{.name = "path",
            .help = "also the critical path of the run, across ranks, and the sensitivity of the makespan"},
       Flag{.name = "waits", .help = "also what activities waited for, and for which ranks"},
       Flag{.name = "no-symmetry", .help = "simulate every rank, also where one stands for all"}, report_flag()});
  return flags;
}

// Who needs the whole workload (loggops) or another tool (astra-sidecar) cannot, nor can what lists activities (-o,
// --per-node) or goes back through them (--path): there all steps are in memory.
bool can_be_summed(const Invocation& invocation, const simulate::Pricing& pricing) {
  const bool holds_all =
      pricing.model == simulate::PricingModel::loggops || pricing.model == simulate::PricingModel::oracle;
  return !holds_all && !invocation.has("output") && !invocation.has("per-node") && !invocation.has("path");
}

ExitCode run_source(Invocation& invocation, SimulationRun run, workload::WorkloadSource& source) {
  if (!can_be_summed(invocation, run.priced_by.pricing)) {
    const auto workload = workload::collect(source);
    if (!workload) return invocation.fail(workload.error());
    return run_workload(invocation, std::move(run), *workload);
  }
  run.options.use_symmetry = !invocation.has("no-symmetry");
  run.options.detail = simulate::Detail::executed_ranks;
  if (invocation.has("report")) {
    // How many activities there are is known when they ran: few are kept and drawn, of many sums do.
    simulate::SummedSchedule counted;
    const auto first =
        simulate::run(source, run.machine, run.priced_by.pricing, run.options, invocation.diagnostics(), &counted);
    if (!first) return invocation.fail(first.error());
    if (counted.activities() <= kMostDrawnActivities) {
      const auto workload = workload::collect(source);
      if (!workload) return invocation.fail(workload.error());
      return run_workload(invocation, std::move(run), *workload);
    }
  }
  run.options.keep_link_series = invocation.has("report") || job::shows_links(invocation.text("output"));
  Progress progress = invocation.progress("simulating", 0);
  progress.count("activities");
  run.options.on_progress = [&](std::uint64_t done, std::uint64_t) {
    progress.add(done - std::min(done, progress.done_bytes()));
  };
  simulate::SummedSchedule plain(invocation.has("waits"));
  simulate::PhasedSchedule phased(invocation.has("waits"));
  simulate::SummedSchedule& sums = run.shows_phases ? phased : plain;
  const auto outcome =
      simulate::run(source, run.machine, run.priced_by.pricing, run.options, invocation.diagnostics(), &sums);
  progress.finish();
  if (!outcome) return invocation.fail(outcome.error());
  SimulationReport report{source.job(), outcome->schedule, outcome->link_names, run.priced_by.name, 0, &sums};
  report.phases = run.shows_phases ? &phased.phases() : nullptr;
  report.machine = &run.machine;
  report.pricing = shown_pricing(run.priced_by.pricing, *outcome);
  return finish_simulation(invocation, report);
}

ExitCode run_workload(Invocation& invocation, SimulationRun run, const workload::Workload& workload) {
  run.options.use_symmetry = !invocation.has("no-symmetry");
  const bool is_drawn = invocation.has("report") && workload.first_activities().back() <= kMostDrawnActivities;
  const bool shows_every_rank = invocation.has("output") || invocation.has("per-node") || run.shows_phases || is_drawn;
  // Ranks that behave alike are executed once; only who looks at each of them needs them written out.
  run.options.detail = shows_every_rank ? simulate::Detail::every_rank : simulate::Detail::executed_ranks;
  run.options.keep_causes = invocation.has("path") || invocation.has("waits") || invocation.has("report");
  run.options.keep_link_series = invocation.has("report") || job::shows_links(invocation.text("output"));
  if (run.priced_by.pricing.model == simulate::PricingModel::loggops && !run.machine.communication.loggops)
    invocation.diagnostics().add(kUsualLogGops, [&] { return run.machine.name; });
  Progress progress = invocation.progress("simulating", workload.first_activities().back());
  progress.count("activities");
  run.options.on_progress = [&](std::uint64_t done, std::uint64_t) {
    progress.add(done - std::min(done, progress.done_bytes()));
  };
  const bool asks_sidecar = run.priced_by.pricing.model == simulate::PricingModel::oracle;
  job::SidecarUse use;
  if (asks_sidecar) {
    auto sidecar = sidecar_options(invocation, run.machine, std::move(run.astra_files));
    if (!sidecar) return invocation.fail(sidecar.error());
    run.priced_by.pricing = job::sidecar_pricing(std::move(*sidecar), use);
  }
  const auto outcome =
      simulate::run(workload, run.machine, run.priced_by.pricing, run.options, invocation.diagnostics());
  if (!outcome) return invocation.fail(outcome.error());
  std::optional<simulate::PhaseSums> phases;
  if (run.shows_phases) phases = simulate::PhaseSums::of(workload, outcome->schedule);
  SimulationReport report{workload, outcome->schedule, outcome->link_names, run.priced_by.name};
  report.phases = phases ? &*phases : nullptr;
  report.machine = asks_sidecar ? nullptr : &run.machine;  // its links are not the machine's
  report.pricing = shown_pricing(run.priced_by.pricing, *outcome);
  const ExitCode code = finish_simulation(invocation, report);
  return asks_sidecar ? finish_sidecar(invocation, use, code) : code;
}

}  // namespace orrery::cli

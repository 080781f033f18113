// orrery simulate: run this workload on that machine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "analyze/schedule_reasons.h"
#include "analyze/schedule_sheets.h"
#include "analyze/workload_remarks.h"
#include "base/output_file.h"
#include "cli/command_line.h"
#include "cli/load.h"
#include "cli/simulate_inputs.h"
#include "cli/simulate_report.h"
#include "cli/verbs.h"
#include "job/schedule_export.h"
#include "job/sidecar_run.h"
#include "machine/astra_machine.h"
#include "simulate/astra/simulation.h"
#include "simulate/models/factory.h"
#include "simulate/native.h"

namespace orrery::cli {
namespace {

using simulate::astra::Backend;

constexpr DiagnosticKind kUsualLogGops{"S105", Severity::warning, "the machine has no LogGOPS parameters",
                                       "LogGOPSim's defaults are used, those of a cluster of 2010; add communication: {loggops: ...}"};

// The next question: where the time of the rank that ends last goes.
std::string next_step(const Invocation& invocation, const simulate::Schedule& schedule) {
  const std::size_t last = analyze::last_rank(schedule);
  std::string folder = invocation.text("output");
  // A file with all ranks is for looking at; path wants a file per rank, with what the host did.
  if (!folder.empty() && !job::writes_folder(folder)) {
    return fmt::format(
        "\nNext: open {} at https://ui.perfetto.dev, or write a file per rank (-o FOLDER) and ask where one's time goes: orrery path\n",
        is_standard_output(folder) ? "it" : folder);
  }
  const bool written = !folder.empty();
  if (written && folder.back() == '/') folder.pop_back();
  return fmt::format("\nNext: where does the time of rank {} go?  {}orrery path {}\n", last,
                     written ? "" : "add -o run, then: ", shell_quote(fmt::format("{}/rank_{}.json.gz", written ? folder : "run", last)));
}

ExitCode finish(Invocation& invocation, const SimulationReport& report) {
  if (invocation.has("output")) {
    const Status exported = job::export_schedule(report.workload, report.schedule, invocation.text("output"));
    if (!exported) return invocation.fail(exported.error());
  }
  analyze::ScheduleReasons reasons;
  if (report.sums != nullptr) {  // added up while it ran; a path was not asked for
    reasons.waits = report.sums->waits();
  } else {
    auto found = analyze::find_reasons(report.workload, report.schedule, {invocation.has("path"), invocation.has("waits")},
                                       invocation.diagnostics());
    if (!found) return invocation.fail(found.error());
    reasons = std::move(*found);
  }
  report_simulation(invocation, report, reasons);
  if (!invocation.json() && !invocation.csv()) invocation.text() += next_step(invocation, report.schedule);
  return ExitCode::ok;
}

ExitCode simulate_compatibly(Invocation& invocation) {
  const std::string compat = invocation.text("compat");
  const auto system = load_astra_system(invocation);
  if (!system) return invocation.fail(system.error());
  const auto loaded = load_workload(invocation, system->npus(), true);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  simulate::astra::Options options;
  options.backend = compat == "astra-unaware" ? Backend::unaware : compat == "astra-aware" ? Backend::aware : Backend::aware_multi_dim;
  options.use_symmetry = !invocation.has("no-symmetry");
  Progress progress = invocation.progress("simulating", 0);
  progress.count("events");
  options.on_progress = [&](std::uint64_t events) { progress.add(events - progress.done_bytes()); };
  const auto outcome = simulate::astra::simulate(*workload, *system, options);
  progress.finish();
  if (!outcome) return invocation.fail(outcome.error());
  return finish(invocation, {*workload, outcome->schedule, outcome->link_names, compat, outcome->events});
}

Result<simulate::EngineOptions> engine_options(const Invocation& invocation, const machine::Machine& machine) {
  if (!invocation.has("roofline")) return simulate::engine_options(machine);
  const auto& names = machine::kDataTypeNames;
  const auto* const type = std::find(names.begin(), names.end(), std::string_view(invocation.text("roofline")));
  return simulate::roofline_options(machine, static_cast<machine::DataType>(type - names.begin()));
}

Result<machine::Machine> load_any_machine(Invocation& invocation) {
  if (!has_astra_system(invocation)) return load_machine(invocation);
  const auto system = load_astra_system(invocation);
  if (!system) return system.error();
  return machine::to_machine(*system);
}

// The model named on the command line, else the machine's.
std::string model_name(const Invocation& invocation, const machine::Machine& machine) {
  if (invocation.has("network-model")) return invocation.text("network-model");
  return std::string(machine::kNetworkModelNames[static_cast<std::size_t>(machine.communication.network_model)]);
}

// The program and how it is asked: what the machine says, unless the command line says otherwise.
Result<job::SidecarOptions> sidecar_options(Invocation& invocation, const machine::Machine& machine) {
  job::SidecarOptions options;
  const auto& program = machine.communication.astra_sim;
  options.binary = invocation.has("sidecar") ? invocation.text("sidecar") : program ? program->binary : "";
  if (options.binary.empty()) {
    return Error{"astra-sidecar does not know your ASTRA-sim",
                 {},
                 Error::kNoOffset,
                 "--sidecar FILE, or communication: {astra_sim: {binary: FILE}} in the machine"};
  }
  const auto milliseconds = [](double seconds) { return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)); };
  if (program) options.timeout = milliseconds(program->timeout_s);
  if (invocation.has("sidecar-timeout")) options.timeout = milliseconds(invocation.number("sidecar-timeout"));
  options.cache_folder = invocation.text("sidecar-cache");
  if (!has_astra_system(invocation)) return options;
  auto files = job::read_astra_files(astra_input(invocation));
  if (!files) return files.error();
  options.files = std::move(*files);
  return options;
}

// A run that ASTRA-sim said nothing about is not what was asked for: it says so first, and is no success.
ExitCode finish_sidecar(Invocation& invocation, const workload::Workload& workload, const machine::Machine& machine,
                        const simulate::EngineOptions& options) {
  auto sidecar = sidecar_options(invocation, machine);
  if (!sidecar) return invocation.fail(sidecar.error());
  const auto outcome = job::simulate_with_sidecar(workload, machine, std::move(*sidecar), options, invocation.diagnostics());
  if (!outcome) return invocation.fail(outcome.error());
  invocation.log(fmt::format("astra-sidecar: run {} times, {} answers were known", outcome->runs, outcome->known_answers));
  const ExitCode code = finish(invocation, {workload, outcome->run.schedule, outcome->run.link_names, "astra-sidecar", 0});
  if (invocation.json()) invocation.data().field("answered_by_sidecar", outcome->answered);
  if (code != ExitCode::ok || outcome->answered) return code;
  if (!invocation.json() && !invocation.csv())
    invocation.text().insert(
        0, "ASTRA-sim answered nothing: every operation takes what it would take alone, and the times below are not its own.\n");
  return ExitCode::check_failed;
}

// Whether everything that is asked for can be added up while a job runs. The models that other tools or a whole workload are needed for (loggops,
// astra-sidecar) cannot, nor can what lists activities (-o, --per-node) or goes back through them (--path): there all steps are in memory.
bool can_be_summed(const Invocation& invocation, const machine::Machine& machine) {
  const auto& models = simulate::kLinkModelNames;
  const bool has_links = std::find(models.begin(), models.end(), model_name(invocation, machine)) != models.end();
  return has_links && !invocation.has("output") && !invocation.has("per-node") && !invocation.has("path");
}

// Steps are made as the job comes to them, and forgotten: a thousand take the memory of a few.
ExitCode simulate_steps(Invocation& invocation, const machine::Machine& machine, workload::WorkloadSource& source) {
  auto options = engine_options(invocation, machine);
  if (!options) return invocation.fail(options.error());
  options->use_symmetry = !invocation.has("no-symmetry");
  options->detail = simulate::Detail::executed_ranks;
  Progress progress = invocation.progress("simulating", 0);
  progress.count("activities");
  options->on_progress = [&](std::uint64_t done, std::uint64_t) { progress.add(done - std::min(done, progress.done_bytes())); };
  const std::string model = model_name(invocation, machine);
  simulate::SummedSchedule sums(invocation.has("waits"));
  const auto outcome = simulate::simulate_on_machine(source, machine, model, *options, sums);
  progress.finish();
  if (!outcome) return invocation.fail(outcome.error());
  return finish(invocation, {source.job(), outcome->schedule, outcome->link_names, model, 0, &sums});
}

ExitCode simulate_natively(Invocation& invocation) {
  const auto machine = load_any_machine(invocation);
  if (!machine) return invocation.fail(machine.error());
  if (can_be_summed(invocation, *machine)) {
    const auto source = open_workload(invocation);
    if (!source) return invocation.fail(source.error());
    if (*source != nullptr) return simulate_steps(invocation, *machine, **source);
  }
  const auto loaded = load_workload(invocation, has_astra_system(invocation) ? static_cast<std::size_t>(machine->devices.count) : 0, false);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  auto options = engine_options(invocation, *machine);
  if (!options) return invocation.fail(options.error());
  if (options->compute_time == simulate::ComputeTime::recorded) analyze::remark_on_missing_durations(*workload, invocation.diagnostics());
  analyze::remark_on_unused_attributes(*workload, invocation.diagnostics());
  options->use_symmetry = !invocation.has("no-symmetry");
  const bool shows_every_rank = invocation.has("output") || invocation.has("per-node");
  // Ranks that behave alike are executed once; only who looks at each of them needs them written out.
  options->detail = shows_every_rank ? simulate::Detail::every_rank : simulate::Detail::executed_ranks;
  options->keep_causes = invocation.has("path") || invocation.has("waits");
  const std::string model = model_name(invocation, *machine);
  using simulate::loggops::Placement;
  // GOAL says on which processor everything runs; of other workloads that is ours to decide.
  const Placement placement = loaded->is_placed ? Placement::as_given : Placement::by_kind;
  if (model == "loggops" && !machine->communication.loggops) invocation.diagnostics().add(kUsualLogGops, [&] { return machine->name; });
  Progress progress = invocation.progress("simulating", workload->first_activities().back());
  progress.count("activities");
  options->on_progress = [&](std::uint64_t done, std::uint64_t) { progress.add(done - std::min(done, progress.done_bytes())); };
  if (model == "astra-sidecar") return finish_sidecar(invocation, *workload, *machine, *options);
  const auto outcome = simulate::simulate_on_machine(*workload, *machine, model, *options, placement);
  if (!outcome) return invocation.fail(outcome.error());
  return finish(invocation, {*workload, outcome->schedule, outcome->link_names, model, 0});
}

ExitCode run_simulate(Invocation& invocation) {
  if (const auto error = check_simulation_flags(invocation)) return invocation.fail_usage(*error);
  if (!invocation.has("compat")) return simulate_natively(invocation);
  if (!has_astra_system(invocation)) {
    return invocation.fail_usage({"--compat needs the machine as ASTRA-sim describes it", "--network FILE.yml --system FILE.json"});
  }
  return simulate_compatibly(invocation);
}

}  // namespace

const Verb& simulate_verb() {
  static const Verb verb = {
      .name = "simulate",
      .summary = "run this workload on that machine",
      .description =
          "Executes a workload (Chakra execution traces, one per rank, a GOAL schedule, or a recorded job) on a described machine and "
          "tells when every "
          "rank finishes, "
          "how much of its communication is exposed, how every link is used and what bandwidth every collective reached.\n\n"
          "Models: fluid (transfers that meet on a link share it max-min fairly), isolated (no sharing), snapshot (sharing priced once, "
          "after an "
          "isolated run), loggops (LogGOPS parameters instead of links), astra-sidecar (your own ASTRA-sim is asked). With --compat the "
          "times are those "
          "of ASTRA-sim's analytical backends to the nanosecond.\n\n"
          "A recipe of many steps takes the memory of a few, with --waits too; -o, --per-node, --path, loggops and astra-sidecar hold all "
          "its "
          "steps.",
      .operands = {.name = "[JOB...]",
                   .help = "instead of --workload: files, folders or globs of a recorded job, or PREFIX of PREFIX.0.et, ...",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_simulation_flags({
          Flag{.name = "compat",
               .value_name = "TOOL",
               .help = "reproduce a simulator exactly",
               .choices = "astra-unaware astra-aware astra-aware-md"},
          Flag{.name = "network-model",
               .value_name = "NAME",
               .help = "how transfers that share links are timed",
               .choices = "fluid isolated snapshot loggops astra-sidecar"},
          Flag{.name = "roofline",
               .value_name = "TYPE",
               .help = "compute times from operations, bytes and the machine's rates for TYPE instead of recorded ones",
               .choices = "fp64 fp32 tf32 bf16 fp16 fp8 int8"},
          Flag{.name = "sidecar", .value_name = "FILE", .kind = ValueKind::file, .help = "with astra-sidecar: your ASTRA-sim"},
          Flag{.name = "sidecar-timeout",
               .value_name = "SECONDS",
               .kind = ValueKind::number,
               .help = "with astra-sidecar: give a run up after this long"},
          Flag{.name = "sidecar-cache",
               .value_name = "DIR",
               .kind = ValueKind::directory,
               .help = "with astra-sidecar: keep its answers here"},
          csv_flag(),
          Flag{.name = "per-node", .help = "also list the start and end of every node"},
          Flag{.name = "path", .help = "also the critical path of the run, across ranks, and what the makespan reacts to"},
          Flag{.name = "waits", .help = "also what activities waited for, and for which ranks"},
          Flag{.name = "no-symmetry", .help = "simulate every rank, also where one stands for all"},
      }),
      .examples = {{"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml",
                    "when every rank finishes, and what bounds it"},
                   {"orrery simulate --workload et/ar --network ring.yml --system system.json --compat astra-unaware",
                    "what ASTRA-sim says, in a fraction of the time"}},
      .output_help =
          "write what would happen as a trace: FILE.json or FILE.json.gz with all ranks for Perfetto, any other name: a folder with a file "
          "per "
          "rank for orrery path",
      .run = run_simulate,
  };
  return verb;
}

}  // namespace orrery::cli

// orrery simulate: run this workload on that machine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "analyze/check/workload_remarks.h"
#include "cli/graphs/run_page.h"
#include "cli/workloads/simulate_inputs.h"
#include "cli/workloads/simulate_run.h"
#include "cli/frame/verbs.h"
#include "job/astra_sidecar.h"
#include "job/write/schedule_export.h"
#include "machine/astra_machine.h"
#include "simulate/astra/simulation.h"
#include "simulate/run.h"

namespace orrery::cli {
namespace {

using simulate::astra::Backend;

ExitCode simulate_compatibly(Invocation& invocation) {
  const std::string compat = invocation.text("compat");
  const auto system = load_astra_system(invocation);
  if (!system) return invocation.fail(system.error());
  const auto loaded = load_workload(invocation, system->npus(), true);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  const auto custom = job::read_custom_collectives(*system, astra_input(invocation));
  if (!custom) return invocation.fail(custom.error());
  simulate::astra::Options options;
  options.custom = &*custom;
  options.backend = compat == "astra-unaware" ? Backend::unaware : compat == "astra-aware" ? Backend::aware : Backend::aware_multi_dim;
  options.use_symmetry = !invocation.has("no-symmetry");
  options.keep_link_series = invocation.has("report") || job::shows_links(invocation.text("output"));
  Progress progress = invocation.progress("simulating", 0);
  progress.count("events");
  options.on_progress = [&](std::uint64_t events) { progress.add(events - progress.done_bytes()); };
  const auto outcome = simulate::astra::simulate(*workload, *system, options);
  progress.finish();
  if (!outcome) return invocation.fail(outcome.error());
  const machine::Machine machine = machine::to_machine(*system);
  SimulationReport report{*workload, outcome->schedule, outcome->link_names, compat, outcome->events};
  report.machine = &machine;
  report.has_astra_links = true;
  return finish_simulation(invocation, report);
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
  const auto only_theirs = [&](const char* what) {
    return Error{fmt::format("{} simulated as ASTRA-sim does only", what), astra_input(invocation).system, Error::kNoOffset,
                 "--compat astra-unaware, astra-aware or astra-aware-md"};
  };
  if (system->has_custom()) return only_theirs("collectives that are given as execution traces are");
  if (system->shared_bus) return only_theirs("the bus between device and endpoint (model-shared-bus) is");
  return machine::to_machine(*system);
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
  job::SidecarUse use;
  const auto outcome = simulate::run(workload, machine, job::sidecar_pricing(std::move(*sidecar), use), options, invocation.diagnostics());
  if (!outcome) return invocation.fail(outcome.error());
  invocation.log(fmt::format("astra-sidecar: run {} times, {} answers were known", use.runs, use.known_answers));
  const ExitCode code = finish_simulation(invocation, {workload, outcome->schedule, outcome->link_names, "astra-sidecar", 0});
  if (invocation.json()) invocation.data().field("answered_by_sidecar", use.answered);
  if (code != ExitCode::ok || use.answered) return code;
  if (!invocation.json() && !invocation.csv())
    invocation.text().insert(
        0, "ASTRA-sim answered nothing: every operation takes what it would take alone, and the times below are not its own.\n");
  return ExitCode::check_failed;
}

ExitCode simulate_natively(Invocation& invocation) {
  const auto machine = load_any_machine(invocation);
  if (!machine) return invocation.fail(machine.error());
  auto options = engine_options(invocation, *machine);
  const machine::NetworkModelKind kind = network_model(invocation, *machine);
  const std::string model(machine::kNetworkModelNames[static_cast<std::size_t>(kind)]);
  simulate::Pricing pricing = simulate::pricing_of(kind);
  if (can_be_summed(invocation, pricing)) {
    const auto source = open_workload(invocation);
    if (!source) return invocation.fail(source.error());
    if (*source != nullptr) {
      if (!options) return invocation.fail(options.error());
      return run_source(invocation, {*machine, model, pricing, *options}, **source);
    }
  }
  const auto loaded = load_workload(invocation, has_astra_system(invocation) ? static_cast<std::size_t>(machine->devices.count) : 0, false);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  if (!options) return invocation.fail(options.error());
  if (options->compute_time == simulate::ComputeTime::recorded) analyze::remark_on_missing_durations(*workload, invocation.diagnostics());
  else analyze::remark_on_missing_operations(*workload, invocation.diagnostics());
  analyze::remark_on_unused_attributes(*workload, invocation.diagnostics());
  if (kind == machine::NetworkModelKind::astra_sidecar) {
    options->use_symmetry = !invocation.has("no-symmetry");
    const bool shows_every_rank = invocation.has("output") || invocation.has("per-node") || invocation.has("report");
    options->detail = shows_every_rank ? simulate::Detail::every_rank : simulate::Detail::executed_ranks;
    options->keep_causes = invocation.has("path") || invocation.has("waits") || invocation.has("report");
    return finish_sidecar(invocation, *workload, *machine, *options);
  }
  using simulate::loggops::Placement;
  // GOAL says on which processor everything runs; of other workloads that is ours to decide.
  pricing.placement = loaded->is_placed ? Placement::as_given : Placement::by_kind;
  return run_workload(invocation, {*machine, model, pricing, *options}, *workload);
}

ExitCode run_simulate(Invocation& invocation) {
  if (const auto error = check_simulation_flags(invocation)) return invocation.fail_usage(*error);
  if (const auto error = prepare_run_page(invocation)) return invocation.fail_usage(*error);
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
      .flags = with_simulation_flags(with_run_flags({
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
      })),
      .examples = {{"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml",
                    "when every rank finishes, and what bounds it"},
                   {"orrery simulate --workload et/ar --network ring.yml --system system.json --compat astra-unaware",
                    "what ASTRA-sim says, in a fraction of the time"},
                   {"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml --report run.html",
                    "a page with the run's links over time, for a browser"}},
      .output_help =
          "write what would happen as a trace: FILE.json[.gz] with all ranks for Perfetto, FILE.pftrace[.gz] with the use of links over "
          "time, too, any other name: a folder with a file "
          "per "
          "rank for orrery path",
      .run = run_simulate,
  };
  return verb;
}

}  // namespace orrery::cli

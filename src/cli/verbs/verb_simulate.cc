// orrery simulate: run this workload on that machine.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analyze/check/workload_remarks.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/run_page.h"
#include "cli/workloads/network_flags.h"
#include "cli/workloads/simulate_inputs.h"
#include "cli/workloads/simulate_run.h"
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
  options.backend = compat == "astra-unaware" ? Backend::unaware
                    : compat == "astra-aware" ? Backend::aware
                                              : Backend::aware_multi_dim;
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
    return Error{fmt::format("{} simulated as ASTRA-sim does only", what), astra_input(invocation).system,
                 Error::kNoOffset, "--compat astra-unaware, astra-aware or astra-aware-md"};
  };
  if (system->has_custom()) return only_theirs("collectives that are given as execution traces are");
  if (system->shared_bus) return only_theirs("the bus between device and endpoint (model-shared-bus) is");
  return machine::to_machine(*system);
}

ExitCode simulate_natively(Invocation& invocation) {
  const auto machine = load_any_machine(invocation);
  if (!machine) return invocation.fail(machine.error());
  auto options = engine_options(invocation, *machine);
  auto priced_by = chosen_pricing(invocation, *machine);
  if (!priced_by) return invocation.fail(priced_by.error());
  if (can_be_summed(invocation, priced_by->pricing)) {
    const auto source = open_workload(invocation);
    if (!source) return invocation.fail(source.error());
    if (*source != nullptr) {
      if (!options) return invocation.fail(options.error());
      return run_source(invocation, {*machine, std::move(*priced_by), *options}, **source);
    }
  }
  const auto loaded = load_workload(
      invocation, has_astra_system(invocation) ? static_cast<std::size_t>(machine->devices.count) : 0, false);
  if (!loaded) return invocation.fail(loaded.error());
  const workload::Workload* const workload = &loaded->workload;
  if (!options) return invocation.fail(options.error());
  if (options->compute_time == simulate::ComputeTime::recorded)
    analyze::remark_on_missing_durations(*workload, invocation.diagnostics());
  else analyze::remark_on_missing_operations(*workload, invocation.diagnostics());
  analyze::remark_on_unused_attributes(*workload, invocation.diagnostics());
  using simulate::loggops::Placement;
  // GOAL says on which processor everything runs; of other workloads that is ours to decide.
  priced_by->pricing.placement = loaded->is_placed ? Placement::as_given : Placement::by_kind;
  SimulationRun run{*machine, std::move(*priced_by), *options};
  if (run.priced_by.pricing.model == simulate::PricingModel::oracle && has_astra_system(invocation)) {
    auto files = job::read_astra_files(astra_input(invocation));
    if (!files) return invocation.fail(files.error());
    run.astra_files = std::move(*files);
  }
  return run_workload(invocation, std::move(run), *workload);
}

ExitCode run_simulate(Invocation& invocation) {
  if (const auto error = check_simulation_flags(invocation)) return invocation.fail_usage(*error);
  if (const auto error = prepare_run_page(invocation)) return invocation.fail_usage(*error);
  if (!invocation.has("compat")) return simulate_natively(invocation);
  if (!has_astra_system(invocation)) {
    return invocation.fail_usage(
        {"--compat needs the machine as ASTRA-sim describes it", "--network FILE.yml --system FILE.json"});
  }
  return simulate_compatibly(invocation);
}

}  // namespace

const Verb& simulate_verb() {
  static const Verb verb = {
      .name = "simulate",
      .summary = "run this workload on that machine",
      .description =
          "Executes a workload (Chakra execution traces, one per rank, a GOAL schedule, or a recorded job) on a "
          "described machine and "
          "tells when every "
          "rank finishes, "
          "how much of its communication is exposed, how every link is used and what bandwidth every collective "
          "reached.\n\n"
          "Models: fluid (transfers that meet on a link share it max-min fairly), isolated (no sharing), snapshot "
          "(sharing priced once, "
          "after an "
          "isolated run), analytical (closed forms), astra (ASTRA-sim's analytical backends), loggops (LogGOPS "
          "parameters instead of "
          "links), astra-sidecar (your own ASTRA-sim is asked). With --compat the "
          "times are those "
          "of ASTRA-sim's analytical backends to the nanosecond.\n\n"
          "A recipe of many steps takes the memory of a few, with --waits too; -o, --per-node, --path, loggops and "
          "astra-sidecar hold all "
          "its "
          "steps.",
      .operands =
          {.name = "[JOB...]",
           .help = "instead of --workload: files, folders or globs of a recorded job, or PREFIX of PREFIX.0.et, ...",
           .min = 0,
           .max = Operands::kUnlimited},
      .flags = with_simulation_flags(with_network_flags(
          with_run_flags({
              Flag{.name = "compat",
                   .value_name = "TOOL",
                   .help = "reproduce a simulator exactly",
                   .choices = "astra-unaware astra-aware astra-aware-md"},
              Flag{.name = "roofline",
                   .value_name = "TYPE",
                   .help =
                       "compute times from operations, bytes and the machine's rates for TYPE instead of recorded ones",
                   .choices = "fp64 fp32 tf32 bf16 fp16 fp8 int8"},
          }),
          "how communication is timed; as the machine says if left out")),
      .examples = {{"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml",
                    "when every rank finishes, and what bounds it"},
                   {"orrery simulate --workload et/ar --network ring.yml --system system.json --compat astra-unaware",
                    "what ASTRA-sim says, in a fraction of the time"},
                   {"orrery simulate --workload et/step --machine data/machines/dgx_h100.yaml --report run.html",
                    "a page with the run's links over time, for a browser"}},
      .output_help =
          "write what would happen as a trace: FILE.json[.gz] with all ranks for Perfetto, FILE.pftrace[.gz] with the "
          "use of links over "
          "time, too, any other name: a folder with a file "
          "per "
          "rank for orrery path",
      .run = run_simulate,
  };
  return verb;
}

}  // namespace orrery::cli

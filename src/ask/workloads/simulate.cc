#include "ask/workloads/simulate.h"

#include <fmt/format.h>

#include "analyze/check/workload_info.h"
#include "ask/workloads/run_page.h"
#include "machine/derived_machine.h"
#include "simulate/run.h"

namespace orrery::ask {
namespace {

std::string backend_name(simulate::astra::Backend backend) {
  for (const auto& [word, meant] : kAstraBackendWords) {
    if (meant == backend) return std::string(word);
  }
  return {};
}

Result<report::Answer> simulate_compatibly(const SimulateRequest& request, Context& context) {
  const auto system = load_astra_system(context, request.inputs);
  if (!system) return system.error();
  const auto loaded = load_workload(context, request.inputs, system->npus(), true);
  if (!loaded) return loaded.error();
  const auto custom = job::read_custom_collectives(*system, request.inputs.astra());
  if (!custom) return custom.error();
  simulate::astra::Options options;
  options.custom = &*custom;
  options.backend = *request.compat;
  options.use_symmetry = !request.run.no_symmetry;
  options.keep_link_series = request.run.keeps_link_series();
  Progress progress = context.progress("simulating", 0);
  progress.count("events");
  options.on_progress = [&](std::uint64_t events) { progress.add(events - progress.done_bytes()); };
  const auto outcome = simulate::astra::simulate(loaded->workload, *system, options);
  progress.finish();
  if (!outcome) return outcome.error();
  const machine::Machine machine = machine::to_machine(*system);
  SimulationResult result{
      "simulate",     loaded->workload, outcome->schedule, outcome->link_names, backend_name(*request.compat),
      outcome->events};
  result.machine = &machine;
  result.has_astra_links = true;
  report::Answer answer = context.answer();
  if (const Status told = tell_simulation(answer, context, request.run, result); !told) return told.error();
  return answer;
}

Result<machine::Machine> load_any_machine(const SimulationInputs& inputs, Context& context) {
  if (!inputs.has_astra_system()) return load_machine(context, *inputs.machine);
  const auto system = load_astra_system(context, inputs);
  if (!system) return system.error();
  const auto only_theirs = [&](const char* what) {
    return Error{fmt::format("{} simulated as ASTRA-sim does only", what), *inputs.system, Error::kNoOffset,
                 "--compat astra-unaware, astra-aware or astra-aware-md"};
  };
  if (system->has_custom()) return only_theirs("collectives that are given as execution traces are");
  if (system->shared_bus) return only_theirs("the bus between device and endpoint (model-shared-bus) is");
  return machine::to_machine(*system);
}

Result<report::Answer> simulate_natively(const SimulateRequest& request, Context& context) {
  const SimulationInputs& inputs = request.inputs;
  const auto machine = load_any_machine(inputs, context);
  if (!machine) return machine.error();
  Result<simulate::EngineOptions> options =
      request.roofline ? simulate::roofline_options(*machine, *request.roofline) : simulate::engine_options(*machine);
  auto priced_by = chosen_pricing(context, request.run.network, *machine);
  if (!priced_by) return priced_by.error();
  if (request.exchange_slowdown) {
    if (priced_by->pricing.model == simulate::PricingModel::loggops)
      return misuse("--exchange-slowdown does not go with loggops",
                    "LogGOPSim knows no computing beside communication");
    if (options) options->slowdown_beside_exchanges = *request.exchange_slowdown;
  }
  if (can_be_summed(request.run, priced_by->pricing)) {
    const auto source = open_workload(context, inputs);
    if (!source) return source.error();
    if (*source != nullptr) {
      if (!options) return options.error();
      return run_source(context, request.run, {"simulate", *machine, std::move(*priced_by), *options}, **source);
    }
  }
  const auto ranks = inputs.has_astra_system() ? static_cast<std::size_t>(machine->devices.count) : 0;
  const auto loaded = load_workload(context, inputs, ranks, false);
  if (!loaded) return loaded.error();
  const workload::Workload& workload = loaded->workload;
  if (!options) return options.error();
  if (options->compute_time == simulate::ComputeTime::recorded)
    analyze::remark_on_missing_durations(workload, context.diagnostics());
  else analyze::remark_on_missing_operations(workload, context.diagnostics());
  analyze::remark_on_unused_attributes(workload, context.diagnostics());
  using simulate::loggops::Placement;
  // GOAL says on which processor everything runs; of other workloads that is ours to decide.
  priced_by->pricing.placement = loaded->is_placed ? Placement::as_given : Placement::by_kind;
  SimulationRun run{"simulate", *machine, std::move(*priced_by), *options};
  if (run.priced_by.pricing.model == simulate::PricingModel::oracle && inputs.has_astra_system()) {
    auto files = job::read_astra_files(inputs.astra());
    if (!files) return files.error();
    run.astra_files = std::move(*files);
  }
  return run_workload(context, request.run, std::move(run), workload);
}

}  // namespace

Result<report::Answer> run(const SimulateRequest& request, Context& context) {
  if (const Status good = check(request.inputs); !good) return good.error();
  if (const Status ready = prepare_run_page(context, request.run.report); !ready) return ready.error();
  if (request.exchange_slowdown && !(*request.exchange_slowdown >= 1 && *request.exchange_slowdown <= 1000))
    return misuse("--exchange-slowdown: computing takes between once and a thousand times as long", "1.18 on an H100");
  if (!request.compat) return simulate_natively(request, context);
  if (request.exchange_slowdown)
    return misuse("--exchange-slowdown does not go with --compat", "ASTRA-sim lets computing run as fast as ever");
  if (!request.inputs.has_astra_system())
    return misuse("--compat needs the machine as ASTRA-sim describes it", "--network FILE.yml --system FILE.json");
  return simulate_compatibly(request, context);
}

}  // namespace orrery::ask

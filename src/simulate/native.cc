#include "simulate/native.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_map>

#include "machine/network.h"
#include "machine/roofline.h"
#include "report/counted.h"
#include "simulate/collective/options.h"
#include "simulate/collective_uses.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/program_plan.h"
#include "simulate/loggops/loggops.h"
#include "simulate/models/factory.h"
#include "simulate/models/snapshot_model.h"
#include "simulate/rank_uses.h"
#include "workload/resolve_roles.h"

namespace orrery::simulate {
namespace {

TimePs from_us(double microseconds) { return std::llround(microseconds * static_cast<double>(kPsPerUs)); }

std::vector<std::string> names_of_links(const machine::Network& network) {
  std::vector<std::string> names;
  names.reserve(network.links().size());
  for (machine::LinkId link = 0; link < network.links().size(); ++link) names.push_back(network.link_name(link));
  return names;
}

}  // namespace

EngineOptions engine_options(const machine::Machine& machine) {
  EngineOptions options;
  options.compute_slots = static_cast<std::uint32_t>(machine.devices.compute_stream_count);
  options.launch_latency_ps = from_us(machine.devices.launch_latency_us.value_or(0));
  if (!machine.devices.memory.empty()) options.memory_bytes_per_second = machine.devices.memory[0].bandwidth_gb_per_s.value_or(0) * 1e9;
  options.eager_limit_bytes = machine.communication.rendezvous_threshold_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  options.eager_overhead_ps = from_us(machine.communication.message_overhead_us);
  return options;
}

Result<EngineOptions> roofline_options(const machine::Machine& machine, machine::DataType type) {
  EngineOptions options = engine_options(machine);
  const Result<machine::DeviceRates> rates = machine::device_rates(machine, type);
  if (!rates) return rates.error();
  options.compute_time = ComputeTime::roofline;
  options.operations_per_second = rates->operations_per_second;
  return options;
}

namespace {

// Per byte in femtoseconds, so that 900 GB/s is not rounded away.
std::int64_t femtoseconds(double nanoseconds) { return std::llround(nanoseconds * 1e6); }

loggops::Parameters loggops_parameters(const machine::LogGops& given) {
  loggops::Parameters parameters;
  parameters.latency_ps = from_us(given.latency_ns / 1000);
  parameters.overhead_ps = from_us(given.overhead_ns / 1000);
  parameters.gap_ps = from_us(given.gap_ns / 1000);
  parameters.gap_per_byte_fs = femtoseconds(given.gap_ns_per_byte);
  parameters.overhead_per_byte_fs = femtoseconds(given.overhead_ns_per_byte);
  parameters.largest_eager_message_bytes = given.rendezvous_threshold_bytes;
  return parameters;
}

/// The groups of `resolved` have names that `given` does not know: they are called by the roles they stand for.
void name_by_roles(const workload::Workload& given, const workload::Workload& resolved, Column<CollectiveUse>& uses) {
  std::unordered_map<StringId, StringId> role_of_group;
  for (std::size_t rank = 0; rank < given.rank_count(); ++rank) {
    const workload::Program &before = given.program(rank), &after = resolved.program(rank);
    for (std::size_t i = 0; i < after.size(); ++i) role_of_group.emplace(after.group_names[i], before.group_names[i]);
  }
  for (CollectiveUse& use : uses) {
    if (const auto role = role_of_group.find(use.group_name); role != role_of_group.end()) use.group_name = role->second;
  }
}

Result<NativeOutcome> simulate_with_loggops(const workload::Workload& given, const machine::Machine& machine, const EngineOptions& options,
                                            loggops::Placement placement) {
  std::optional<workload::Workload> resolved;
  if (!given.roles.empty()) resolved = workload::resolve_roles(given);
  const workload::Workload& workload = resolved ? *resolved : given;
  loggops::Options loggops_options;
  loggops_options.parameters = loggops_parameters(machine.communication.loggops.value_or(machine::LogGops{}));
  loggops_options.placement = placement;
  loggops_options.collectives = loggops::options_of(machine.communication.collective_algorithm);
  loggops_options.duration_of = [&](const workload::Program& program, std::size_t activity) {
    return activity_time(program, activity, options);
  };
  Result<loggops::Simulation> simulation = loggops::simulate(workload, loggops_options);
  if (!simulation) return simulation.error();
  simulation->schedule.ranks = rank_uses(workload, simulation->schedule);
  simulation->schedule.collectives = collective_uses(workload, simulation->schedule);
  if (resolved) name_by_roles(given, *resolved, simulation->schedule.collectives);
  return NativeOutcome{std::move(simulation->schedule), {}};
}

}  // namespace

Result<NativeOutcome> simulate_with_oracle(const workload::Workload& workload, OracleModel::Oracle oracle, const EngineOptions& options) {
  OracleModel model(std::move(oracle));
  Result<Schedule> schedule = execute(workload, model, options);
  if (!schedule) return schedule.error();
  return NativeOutcome{std::move(*schedule), {}};
}

namespace {

Status check_fits(std::size_t ranks, const machine::Machine& machine) {
  if (ranks <= static_cast<std::size_t>(machine.devices.count)) return {};
  return Error{fmt::format("the workload has {}, the machine '{}' {}", report::counted(ranks, "rank"), machine.name,
                           report::counted(machine.devices.count, "device"))};
}

/// `run`: executes the workload on a fresh model, with these options.
template <typename Run>
Result<NativeOutcome> run_on_links(const machine::Machine& machine, std::string_view model_name, const EngineOptions& options,
                                   const Run& run) {
  const Result<machine::Network> network = machine::Network::build(machine);
  if (!network) return network.error();
  Result<std::unique_ptr<NetworkModel>> model = make_network_model(model_name, *network, comm_options(machine.communication));
  if (!model) return model.error();
  (*model)->keep_prices(false);
  auto* const snapshot = dynamic_cast<SnapshotModel*>(model->get());
  EngineOptions first = options;
  if (snapshot != nullptr) first.keep_link_series = false;  // its links are those of the second run
  Result<Schedule> schedule = run(**model, first);
  if (!schedule) return schedule.error();
  if (snapshot != nullptr) {
    snapshot->reprice();
    schedule = run(*snapshot, options);
    if (!schedule) return schedule.error();
  }
  return NativeOutcome{std::move(*schedule), names_of_links(*network)};
}

}  // namespace

Result<NativeOutcome> simulate_on_machine(const workload::Workload& workload, const machine::Machine& machine, std::string_view model,
                                          const EngineOptions& options, loggops::Placement placement) {
  if (Status status = check_fits(workload.rank_count(), machine); !status) return status.error();
  if (model == "loggops") return simulate_with_loggops(workload, machine, options, placement);
  return run_on_links(machine, model, options,
                      [&](NetworkModel& network, const EngineOptions& how) { return execute(workload, network, how); });
}

Result<NativeOutcome> simulate_on_machine(workload::WorkloadSource& source, const machine::Machine& machine, std::string_view model,
                                          const EngineOptions& options, ScheduleSink& sink) {
  if (Status status = check_fits(source.job().rank_count(), machine); !status) return status.error();
  return run_on_links(machine, model, options,
                      [&](NetworkModel& network, const EngineOptions& how) { return execute(source, network, how, sink); });
}

}  // namespace orrery::simulate

#include "simulate/pricing/embedded_astra.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/content_hash.h"
#include "machine/astra_export.h"
#include "simulate/pricing/operations_workload.h"

namespace orrery::simulate {
namespace {

astra::Backend backend_for(AstraBackend wanted, std::size_t dimensions) {
  switch (wanted) {
    case AstraBackend::unaware: return astra::Backend::unaware;
    case AstraBackend::aware: return astra::Backend::aware;
    case AstraBackend::aware_multi_dim: return astra::Backend::aware_multi_dim;
    case AstraBackend::automatic: break;
  }
  return dimensions == 1 ? astra::Backend::aware : astra::Backend::aware_multi_dim;
}

std::string_view backend_name(astra::Backend backend) {
  switch (backend) {
    case astra::Backend::unaware: return "unaware";
    case astra::Backend::aware: return "aware";
    case astra::Backend::aware_multi_dim: break;
  }
  return "aware-md";
}

}  // namespace

Result<EmbeddedAstra> EmbeddedAstra::open(const machine::Machine& machine, AstraBackend wanted) {
  Result<machine::ExportedAstraSystem> exported = machine::to_astra_system(machine);
  if (!exported) return exported.error();
  const std::size_t dimensions = exported->system.dimensions.size();
  const astra::Backend backend = backend_for(wanted, dimensions);
  if (backend == astra::Backend::aware && dimensions > 1) {
    return Error{.message = fmt::format("the backend 'aware' knows one dimension, and the machine '{}' has {}", machine.name, dimensions),
                 .hint = "astra_backend: aware-md, or leave it out"};
  }
  const Result<machine::AstraFiles> files = machine::to_astra(machine);
  if (!files) return files.error();
  ContentHash system;
  system.add(files->network_yaml);
  system.add(files->system_json);
  std::string version = fmt::format("ASTRA-sim 518bd51 embedded, analytical {}, system {:016x}", backend_name(backend), system.xxh3());
  return EmbeddedAstra(std::move(exported->system), backend, exported->raised_endpoint_delay, std::move(version));
}

Result<std::vector<TimePs>> EmbeddedAstra::ask(std::span<const CommOp> ops) const {
  const workload::Workload workload = workload_of(ops, static_cast<std::uint32_t>(system_.npus()));
  const Result<astra::Outcome> outcome = astra::simulate(workload, system_, {.backend = backend_});
  if (!outcome) return outcome.error();
  const std::vector<std::uint64_t> first = workload.first_activities();
  std::vector<TimePs> ends(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const std::uint32_t rank : ops[i].ranks)
      ends[i] = std::max(ends[i], outcome->schedule.end_ps[first[rank] + activity_of(workload, i, rank)]);
  }
  return ends;
}

}  // namespace orrery::simulate

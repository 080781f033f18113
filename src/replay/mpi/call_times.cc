#include "replay/mpi/call_times.h"

#include <cassert>
#include <vector>

#include "replay/mpi/mpi_call.h"

namespace orrery::replay {
namespace {

bool is_dropped(const workload::Workload& workload, const workload::Program& program, std::size_t activity) {
  return program.kinds[activity] == workload::ActivityKind::compute &&
         program.has(activity, workload::activity::kOnHost) && program.duration_ps(activity) > 0 &&
         is_time_of_a_call(workload.strings.text(program.names[activity]));
}

std::uint64_t drop(const workload::Workload& workload, workload::Program& program) {
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < program.size(); ++i) dropped += is_dropped(workload, program, i) ? 1 : 0;
  if (dropped == 0) return 0;
  graph::GraphBuilder builder = workload::dependency_builder();
  const graph::Graph& old = program.dependencies;
  for (graph::NodeId i = 0; i < program.size(); ++i)
    builder.add_node(is_dropped(workload, program, i) ? 0 : old.duration(i));
  for (graph::NodeId i = 0; i < program.size(); ++i) {
    for (const graph::Slot slot : old.incoming(i)) builder.add_edge(old.source(slot), i, old.type(slot), 0);
  }
  Result<graph::Graph> made = std::move(builder).build();
  assert(made);  // it was one before
  program.dependencies = std::move(*made);
  return dropped;
}

}  // namespace

std::uint64_t drop_call_times(workload::Workload& workload) {
  std::vector<std::uint64_t> dropped;
  for (workload::Program& program : workload.programs) dropped.push_back(drop(workload, program));
  std::uint64_t total = 0;
  for (const std::uint32_t program : workload.program_of_rank) total += dropped[program];
  return total;
}

}  // namespace orrery::replay

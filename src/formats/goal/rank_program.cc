#include "formats/goal/rank_program.h"

#include <utility>

namespace orrery::goal {

using workload::ActivityKind;
namespace activity = workload::activity;

graph::NodeId RankProgram::add(const Operation& operation) {
  const bool is_message = operation.kind != ActivityKind::compute;
  const std::size_t i = program_.size();
  program_.ids.push_back(i);
  program_.names.push_back(operation.label);
  program_.kinds.push_back(operation.kind);
  program_.flags.push_back(is_message ? activity::kHasBytes | activity::kHasPeer | activity::kHasTag : 0);
  program_.bytes.push_back(is_message ? operation.size : 0);
  program_.peers.set(i, operation.peer);
  program_.tags.set(i, operation.tag);
  program_.cpus.set(i, operation.cpu);
  program_.nics.set(i, operation.nic);
  return dependencies_.add_node(is_message ? 0 : operation.size * kPsPerNs);
}

void RankProgram::require(graph::NodeId dependent, graph::NodeId on, workload::Dependency type) {
  dependencies_.add_edge(on, dependent, static_cast<std::uint8_t>(type), 0);
}

Result<workload::Program> RankProgram::build() && {
  Result<graph::Graph> graph = std::move(dependencies_).build();
  if (!graph) return std::move(graph.error());
  workload::Program program = std::move(program_);
  program.dependencies = std::move(*graph);
  const std::size_t count = program.size();
  program.peers.complete(count);
  program.tags.complete(count);
  program.cpus.complete(count);
  program.nics.complete(count);
  // Schedules have up to millions of ranks with a handful of operations each: spare capacity would be most of the
  // memory.
  program.ids.shrink_to_fit();
  program.names.shrink_to_fit();
  program.kinds.shrink_to_fit();
  program.flags.shrink_to_fit();
  program.bytes.shrink_to_fit();
  return program;
}

}  // namespace orrery::goal

#include "replay/mpi/mpi_call.h"

#include <cassert>
#include <vector>

#include "match/mpi/mpi_function.h"
#include "mpi_plugin/replay_plugin.h"

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

using match::MpiFunction;
using match::MpiRole;
using workload::ActivityKind;

std::uint8_t recorded_call(std::string_view name, ActivityKind kind) {
  const MpiFunction* const function = match::find_mpi_function(name);
  if (function == nullptr) return 0;
  std::uint8_t call = function->is_blocking ? kReplayBlocking : 0;
  switch (function->role) {
    case MpiRole::send:
      if (kind != ActivityKind::send) return 0;
      if (name == "MPI_Bsend" || name == "MPI_Ibsend") call |= kReplayBuffered;
      if (name == "MPI_Ssend" || name == "MPI_Issend") call |= kReplaySynchronous;
      if (name == "MPI_Rsend" || name == "MPI_Irsend") call |= kReplayReady;
      return call;
    case MpiRole::receive: return kind == ActivityKind::recv ? call : 0;
    case MpiRole::collective:
      if (kind != ActivityKind::collective) return 0;
      if (name.ends_with('v') || name.ends_with('w') || name.ends_with("educe_scatter")) call |= kReplayLists;
      return call;
    // The two halves of one call do not block each other.
    case MpiRole::send_receive: return kind == ActivityKind::send && name.ends_with("_replace") ? kReplayReplace : 0;
    default: return 0;
  }
}

bool is_time_of_a_call(std::string_view name) {
  const MpiFunction* const function = match::find_mpi_function(name);
  if (function == nullptr) return false;
  switch (function->role) {
    case MpiRole::send:
    case MpiRole::receive:
    case MpiRole::send_receive:
    case MpiRole::wait_one:
    case MpiRole::wait_any:
    case MpiRole::wait_some:
    case MpiRole::wait_all:
    case MpiRole::test:
    case MpiRole::probe: return true;
    // Scans are no collectives of a workload: their time is all that is left of them.
    case MpiRole::collective: return function->collective.has_value();
    case MpiRole::local: return name == "MPI_Init" || name == "MPI_Init_thread" || name == "MPI_Finalize";
    default: return false;
  }
}

bool is_send_and_receive(std::string_view name) {
  const MpiFunction* const function = match::find_mpi_function(name);
  return function != nullptr && function->role == MpiRole::send_receive;
}

}  // namespace orrery::replay

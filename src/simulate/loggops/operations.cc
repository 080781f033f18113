#include "simulate/loggops/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/types.h"

namespace orrery::simulate::loggops {

using workload::ActivityKind;
using workload::Program;

std::int64_t Operations::tag(OpIndex op) const {
  const std::uint32_t rank = table_[op].rank;
  return workload_->program(rank).tags[op - first_of_rank_[rank]];
}

Status Operations::add_rank(const workload::Workload& workload, std::uint32_t rank, const DurationOf& duration_of,
                            const DescribeOp& describe) {
  const Program& program = workload.program(rank);
  const auto refuse = [&](std::size_t i, const std::string& why) { return Error{fmt::format("{} {}", describe(first(rank) + i), why)}; };
  for (std::size_t i = 0; i < program.size(); ++i) {
    const ActivityKind kind = program.kinds[i];
    if (kind == ActivityKind::collective) return refuse(i, "was not replaced by messages");
    Operation op{.rank = rank, .waits_for = program.dependencies.incoming(static_cast<graph::NodeId>(i)).size(), .cpu = program.cpus[i]};
    if (kind == ActivityKind::send || kind == ActivityKind::recv) {
      op.kind = kind == ActivityKind::send ? Operation::Kind::send : Operation::Kind::recv;
      op.nic = program.nics[i];
      op.size = program.bytes[i];
      const std::int64_t peer = program.peers[i];
      const bool any = peer == -1 && kind == ActivityKind::recv;
      if (!program.has(i, workload::activity::kHasPeer)) return refuse(i, "does not say which rank its message is for or from");
      if (!any && (peer < 0 || static_cast<std::size_t>(peer) >= rank_count())) return refuse(i, fmt::format("names rank {}", peer));
      op.peer = any ? kAnyPeer : static_cast<std::uint32_t>(peer);
    } else {
      op.size = duration_of(program, i);
      if (op.size > graph::kMaxWeightPs) return refuse(i, "takes more than 26 days");
    }
    if (op.size < 0) return refuse(i, "has a negative size or duration");
    largest_cpu_ = std::max(largest_cpu_, op.cpu);
    largest_nic_ = std::max(largest_nic_, op.nic);
    table_.push_back(op);
  }
  return {};
}

void Operations::add_dependents(const Program& program) {
  const graph::Graph& graph = program.dependencies;
  const std::size_t first = rows_.size();
  first_row_.push_back(first);
  const auto row_of = [&](graph::Slot slot) {
    const bool on_start = static_cast<workload::Dependency>(graph.type(slot)) == workload::Dependency::start;
    return first + 2 * std::size_t{graph.source(slot)} + (on_start ? 0 : 1);
  };
  // Counting sort of the edges by source; by edge id within a source, so that dependents keep the order in which they were added.
  rows_.resize(first + 2 * program.size() + 1, 0);
  for (graph::Slot slot = 0; slot < graph.edge_count(); ++slot) ++rows_[row_of(slot)];
  std::uint64_t end = targets_.size();
  for (std::size_t row = first; row < rows_.size(); ++row) rows_[row] = end += rows_[row];
  targets_.resize_uninitialized(targets_.size() + graph.edge_count());
  for (graph::EdgeId edge = graph.edge_count(); edge-- > 0;) {
    const graph::Slot slot = graph.slot_of_edge(edge);
    targets_[--rows_[row_of(slot)]] = graph.target(slot);
  }
}

Result<Operations> Operations::lay_out(const workload::Workload& workload, const DurationOf& duration_of, const DescribeOp& describe) {
  Operations operations;
  operations.workload_ = &workload;
  const std::vector<std::uint64_t> first = workload.first_activities();
  operations.first_of_rank_.assign(first.begin(), first.end());
  operations.table_.reserve(first.back());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    if (const Status added = operations.add_rank(workload, rank, duration_of, describe); !added) return added.error();
  }
  for (const Program& program : workload.programs) operations.add_dependents(program);
  return operations;
}

}  // namespace orrery::simulate::loggops

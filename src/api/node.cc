#include <orrery/workload.h>
#include "api/workload_data.h"

namespace orrery::api {
namespace {

using workload::ActivityKind;
using workload::Collective;
namespace activity = workload::activity;

bool is_message(ActivityKind kind) { return kind == ActivityKind::send || kind == ActivityKind::recv; }
bool is_communication(ActivityKind kind) { return is_message(kind) || kind == ActivityKind::collective; }

NodeType public_type(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::none: return NodeType::invalid;
    case ActivityKind::metadata: return NodeType::metadata;
    case ActivityKind::memory_load: return NodeType::mem_load;
    case ActivityKind::memory_store: return NodeType::mem_store;
    case ActivityKind::compute: return NodeType::comp;
    case ActivityKind::send: return NodeType::comm_send;
    case ActivityKind::recv: return NodeType::comm_recv;
    case ActivityKind::collective: return NodeType::comm_coll;
  }
  return NodeType::invalid;
}

CommType public_type(Collective collective) {
  switch (collective) {
    case Collective::all_reduce: return CommType::all_reduce;
    case Collective::reduce: return CommType::reduce;
    case Collective::all_gather: return CommType::all_gather;
    case Collective::gather: return CommType::gather;
    case Collective::scatter: return CommType::scatter;
    case Collective::broadcast: return CommType::broadcast;
    case Collective::all_to_all: return CommType::all_to_all;
    case Collective::reduce_scatter: return CommType::reduce_scatter;
    case Collective::barrier: return CommType::barrier;
  }
  return CommType::all_reduce;
}

std::vector<std::uint64_t> dependencies_of(const workload::Program& program, std::uint32_t node,
                                           workload::Dependency type) {
  std::vector<std::uint64_t> ids;
  for (const graph::Slot slot : program.dependencies.incoming(node)) {
    if (static_cast<workload::Dependency>(program.dependencies.type(slot)) == type)
      ids.push_back(program.ids[program.dependencies.source(slot)]);
  }
  return ids;
}

// The end of a message that its own rank is at, and the other.
std::optional<std::int32_t> end_of_message(const WorkloadData& data, std::uint32_t rank, std::uint32_t node,
                                           ActivityKind own_side) {
  const workload::Program& program = data.program(rank);
  if (!is_message(program.kinds[node])) return std::nullopt;
  if (program.kinds[node] == own_side)
    // A file alone may not say which rank it is of.
    return data.knows_ranks ? std::optional(static_cast<std::int32_t>(rank)) : std::nullopt;
  return program.has(node, activity::kHasPeer) ? std::optional(program.peers[node]) : std::nullopt;
}

}  // namespace

std::uint64_t Node::id() const { return data_->program(rank_).ids[index_]; }
std::size_t Node::rank() const { return rank_; }
std::string_view Node::name() const { return data_->workload.strings.text(data_->program(rank_).names[index_]); }
NodeType Node::type() const { return public_type(data_->program(rank_).kinds[index_]); }
bool Node::is_cpu_op() const { return data_->program(rank_).has(index_, activity::kOnHost); }

std::uint64_t Node::duration_ns() const {
  return static_cast<std::uint64_t>(data_->program(rank_).duration_ps(index_) / kPsPerNs);
}

std::optional<std::int64_t> Node::num_ops() const {
  const workload::Program& program = data_->program(rank_);
  return program.has(index_, activity::kHasOperations) ? std::optional(program.operations[index_]) : std::nullopt;
}

std::optional<std::int64_t> Node::tensor_size() const {
  const workload::Program& program = data_->program(rank_);
  const bool given = program.has(index_, activity::kHasBytes) && !is_communication(program.kinds[index_]);
  return given ? std::optional(program.bytes[index_]) : std::nullopt;
}

std::optional<CommType> Node::comm_type() const {
  const workload::Program& program = data_->program(rank_);
  if (program.kinds[index_] != ActivityKind::collective) return std::nullopt;
  return public_type(program.collectives[index_]);
}

std::optional<std::int64_t> Node::comm_size() const {
  const workload::Program& program = data_->program(rank_);
  const bool given = program.has(index_, activity::kHasBytes) && is_communication(program.kinds[index_]);
  return given ? std::optional(program.bytes[index_]) : std::nullopt;
}

std::string_view Node::comm_group() const {
  return data_->workload.strings.text(data_->program(rank_).group_names[index_]);
}

std::optional<std::int32_t> Node::comm_priority() const {
  const workload::Program& program = data_->program(rank_);
  return program.kinds[index_] == ActivityKind::collective ? std::optional(program.priorities[index_]) : std::nullopt;
}

std::optional<std::int32_t> Node::comm_src() const { return end_of_message(*data_, rank_, index_, ActivityKind::send); }
std::optional<std::int32_t> Node::comm_dst() const { return end_of_message(*data_, rank_, index_, ActivityKind::recv); }

std::optional<std::int64_t> Node::comm_tag() const {
  const workload::Program& program = data_->program(rank_);
  const bool given = program.has(index_, activity::kHasTag) && is_message(program.kinds[index_]);
  return given ? std::optional(program.tags[index_]) : std::nullopt;
}

std::optional<std::int32_t> Node::comm_root() const {
  const workload::Program& program = data_->program(rank_);
  const bool given = program.kinds[index_] == ActivityKind::collective && program.has(index_, activity::kHasPeer);
  return given ? std::optional(program.peers[index_]) : std::nullopt;
}

std::vector<std::uint64_t> Node::data_dependencies() const {
  return dependencies_of(data_->program(rank_), index_, workload::Dependency::data);
}

std::vector<std::uint64_t> Node::control_dependencies() const {
  return dependencies_of(data_->program(rank_), index_, workload::Dependency::control);
}

}  // namespace orrery::api

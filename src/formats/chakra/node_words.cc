#include "formats/chakra/node_words.h"

#include "workload/delays.h"

namespace orrery::chakra {

using workload::ActivityKind;
using workload::Collective;

NodeType node_type_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::none: return NodeType::comp;  // see the header
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

std::int64_t comm_type_of(Collective collective) {
  switch (collective) {
    case Collective::all_reduce: return comm_type::all_reduce;
    case Collective::reduce: return comm_type::reduce;
    case Collective::all_gather: return comm_type::all_gather;
    case Collective::gather: return comm_type::gather;
    case Collective::scatter: return comm_type::scatter;
    case Collective::broadcast: return comm_type::broadcast;
    case Collective::all_to_all: return comm_type::all_to_all;
    case Collective::reduce_scatter: return comm_type::reduce_scatter;
    case Collective::barrier: return comm_type::barrier;
  }
  return comm_type::all_reduce;
}

std::string_view node_name(const workload::Workload& workload, const workload::Program& program, std::size_t i) {
  const bool is_nameless_join = program.kinds[i] == ActivityKind::none && program.names[i] == 0;
  return is_nameless_join ? to_string(workload::Delay::join) : workload.strings.text(program.names[i]);
}

bool is_join(const workload::Activity& activity, const Interner& strings) {
  return activity.kind == ActivityKind::compute && activity.duration_ps == 0 && activity.name != 0 &&
         strings.text(activity.name) == to_string(workload::Delay::join);
}

std::uint64_t duration_micros(const workload::Program& program, std::size_t i) {
  if (program.kinds[i] == ActivityKind::none) return 0;
  return static_cast<std::uint64_t>(workload::in_whole_microseconds(program.duration_ps(i)) / kPsPerUs);
}

std::uint64_t start_micros(const workload::Workload& workload, const workload::Program& program, std::size_t i) {
  const TimePs start = program.starts_ps[i];
  if (start == workload::kNotRecorded) return 0;
  // Rounded down on both sides of zero, so that equal distances stay equal.
  const std::int64_t us = workload.epoch_us + (start >= 0 ? start : start - (kPsPerUs - 1)) / kPsPerUs;
  // 0 says that no start was recorded, which is true of what lies before the epoch, too: the field has no sign.
  return us > 0 ? static_cast<std::uint64_t>(us) : 0;
}

std::string_view beyond_words(const workload::Program& program, std::size_t i) {
  for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i))) {
    if (static_cast<workload::Dependency>(program.dependencies.type(slot)) == workload::Dependency::start)
      return "waits for a start only, which Chakra cannot say";
  }
  return {};
}

}  // namespace orrery::chakra

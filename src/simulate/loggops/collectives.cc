// Replaces the collectives of a workload by messages.
#include "simulate/loggops/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "workload/collective_parts.h"
#include "workload/matching.h"

namespace orrery::simulate::loggops {
namespace {

using workload::ActivityKind;
using workload::Collective;
using workload::Dependency;
using workload::MessagePattern;
using workload::Program;

constexpr std::int64_t kFirstTag = std::int64_t{1} << 40;  // beyond the tags of point-to-point messages

/// What a collective is on one rank: all that is needed to write its messages.
struct Part {
  const workload::Communicator* communicator = nullptr;
  std::uint32_t place = 0, root = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;                    ///< counted as CommOp::bytes is
  std::span<const std::int64_t> parts = {};  ///< as CommOp::parts; until the next Part is made
};

class Expander {
 public:
  Expander(const workload::Matching& matching, const CollectiveOptions& options, const CpuOf& cpu_of,
           const DurationOf& duration_of)
      : workload_(matching.workload()),
        matching_(matching),
        options_(options),
        cpu_of_(cpu_of),
        duration_of_(duration_of) {}

  Result<Expansion> expand();

 private:
  Part part_of(std::uint32_t rank, std::uint32_t activity);
  Status expand_rank(std::uint32_t rank);

  graph::NodeId add(ActivityKind kind, std::size_t origin, std::uint8_t cpu, TimePs duration = 0);
  void set_message(std::uint32_t peer, std::int64_t bytes, std::int64_t tag, std::uint8_t nic);
  void add_collective(const Program& program, std::size_t activity, const Part& part);
  void add_plain(const Program& program, std::size_t activity);
  void depend(graph::NodeId on, graph::NodeId waiting, Dependency type) {
    graph_.add_edge(on, waiting, static_cast<std::uint8_t>(type), 0);
  }

  const workload::Workload& workload_;
  const workload::Matching& matching_;
  const CollectiveOptions& options_;
  const CpuOf& cpu_of_;
  const DurationOf& duration_of_;
  std::vector<std::int64_t> parts_;  // scratch
  MessagePattern pattern_;
  Expansion result_;
  // Of the rank at hand.
  Program program_;
  graph::GraphBuilder graph_ = workload::dependency_builder();
  OpIndex first_original_ = 0, first_new_ = 0;
};

Part Expander::part_of(std::uint32_t rank, std::uint32_t activity) {
  const workload::Communicator& communicator = matching_.communicator(rank, activity);
  const Program& program = workload_.program(rank);
  const Collective collective = program.collectives[activity];
  const std::span<const std::uint32_t> ranks = communicator.ranks;
  Part part{.communicator = &communicator};
  const bool is_world = rank < ranks.size() && ranks[rank] == rank;  // where looking for it would take long
  part.place =
      is_world ? rank : static_cast<std::uint32_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  if (is_rooted(collective)) part.root = workload::root_place(communicator, workload_.program(rank), activity);
  part.tag = kFirstTag + static_cast<std::int64_t>(matching_.operation(rank, activity));
  workload::collect_parts(matching_, communicator, matching_.place(rank, activity).place, parts_);
  part.parts = parts_;
  part.bytes = parts_.empty() ? workload::whole_bytes(collective, program.bytes[activity], ranks.size())
                              : workload::whole_bytes_of_parts(collective, parts_, ranks.size());
  return part;
}

graph::NodeId Expander::add(ActivityKind kind, std::size_t origin, std::uint8_t cpu, TimePs duration) {
  const std::size_t i = program_.size();
  program_.ids.push_back(i);
  program_.names.push_back(0);
  program_.kinds.push_back(kind);
  program_.flags.push_back(0);
  program_.bytes.push_back(0);
  program_.cpus.set(i, cpu);
  result_.origin.push_back(first_original_ + origin);
  return graph_.add_node(duration);
}

/// The attributes of the activity that was added last.
void Expander::set_message(std::uint32_t peer, std::int64_t bytes, std::int64_t tag, std::uint8_t nic) {
  const std::size_t i = program_.size() - 1;
  program_.flags[i] = workload::activity::kHasBytes | workload::activity::kHasPeer | workload::activity::kHasTag;
  program_.bytes[i] = bytes;
  program_.peers.set(i, static_cast<std::int32_t>(peer));
  program_.tags.set(i, tag);
  program_.nics.set(i, nic);
}

void Expander::add_collective(const Program& program, std::size_t activity, const Part& part) {
  const std::uint8_t cpu = cpu_of_(program, activity);
  const auto ranks = static_cast<std::uint32_t>(part.communicator->ranks.size());
  pattern_.clear();
  if (part.parts.empty())
    append_collective(pattern_, program.collectives[activity], part.place, ranks, part.root, part.bytes, options_);
  else append_unequal_collective(pattern_, program.collectives[activity], part.place, ranks, part.root, part.parts);
  const graph::NodeId enter = add(ActivityKind::compute, activity, cpu);
  for (const MessagePattern::Step& step : pattern_.steps()) {
    const graph::NodeId node = add(step.is_send ? ActivityKind::send : ActivityKind::recv, activity, cpu);
    set_message(part.communicator->ranks[step.peer], step.bytes, part.tag, program.nics[activity]);
    if (step.after_count == 0) depend(enter, node, Dependency::data);
    for (const MessagePattern::StepId on : pattern_.after(step)) depend(enter + 1 + on, node, Dependency::data);
  }
  const graph::NodeId leave = add(ActivityKind::compute, activity, cpu);
  for (graph::NodeId node = enter; node < leave; ++node) depend(node, leave, Dependency::data);
  result_.enters.push_back(first_new_ + enter);
  result_.leaves.push_back(first_new_ + leave);
}

void Expander::add_plain(const Program& program, std::size_t activity) {
  const ActivityKind kind = program.kinds[activity];
  const bool is_message = kind == ActivityKind::send || kind == ActivityKind::recv;
  const graph::NodeId node =
      add(kind, activity, cpu_of_(program, activity), is_message ? 0 : duration_of_(program, activity));
  if (is_message) {
    set_message(static_cast<std::uint32_t>(program.peers[activity]), program.bytes[activity], program.tags[activity],
                program.nics[activity]);
    program_.flags[node] = program.flags[activity];
  }
  result_.enters.push_back(first_new_ + node);
  result_.leaves.push_back(first_new_ + node);
}

Status Expander::expand_rank(std::uint32_t rank) {
  const Program& program = workload_.program(rank);
  program_ = Program();
  graph_ = workload::dependency_builder();
  first_original_ = result_.enters.size();
  first_new_ = result_.origin.size();
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] != ActivityKind::collective) {
      add_plain(program, i);
      continue;
    }
    add_collective(program, i, part_of(rank, static_cast<std::uint32_t>(i)));
  }
  for (graph::EdgeId edge = 0; edge < program.dependencies.edge_count(); ++edge) {
    const graph::Slot slot = program.dependencies.slot_of_edge(edge);
    const auto type = static_cast<Dependency>(program.dependencies.type(slot));
    const OpIndex source = first_original_ + program.dependencies.source(slot),
                  target = first_original_ + program.dependencies.target(slot);
    const OpIndex on = type == Dependency::start ? result_.enters[source] : result_.leaves[source];
    depend(static_cast<graph::NodeId>(on - first_new_), static_cast<graph::NodeId>(result_.enters[target] - first_new_),
           type);
  }
  Result<graph::Graph> graph = std::move(graph_).build();
  if (!graph) return Error{fmt::format("rank {}: {}", rank, graph.error().message)};
  program_.dependencies = std::move(*graph);
  program_.peers.complete(program_.size());
  program_.tags.complete(program_.size());
  program_.cpus.complete(program_.size());
  program_.nics.complete(program_.size());
  result_.workload.program_of_rank.push_back(static_cast<std::uint32_t>(result_.workload.programs.size()));
  result_.workload.programs.push_back(std::move(program_));
  return {};
}

Result<Expansion> Expander::expand() {
  for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
    if (const Status expanded = expand_rank(rank); !expanded) return expanded.error();
  }
  return std::move(result_);
}

}  // namespace

Result<Expansion> replace_collectives(const workload::Workload& workload, const CollectiveOptions& options,
                                      const CpuOf& cpu_of, const DurationOf& duration_of) {
  const Result<workload::Matching> matching = workload::Matching::of(workload);
  if (!matching) return matching.error();
  return Expander(*matching, options, cpu_of, duration_of).expand();
}

}  // namespace orrery::simulate::loggops

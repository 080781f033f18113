// Replaces the collectives of a workload by messages.
#include "simulate/loggops/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "workload/collective_parts.h"
#include "workload/matching.h"

namespace orrery::simulate::loggops {

// Which messages a collective is made of.

namespace {

using workload::Collective;
using workload::MessagePattern;

AllReduceAlgorithm choose(std::uint32_t ranks, std::int64_t bytes, const CollectiveOptions& options) {
  AllReduceAlgorithm algorithm = options.all_reduce;
  if (algorithm == AllReduceAlgorithm::automatic)
    algorithm =
        bytes <= options.largest_small_bytes ? AllReduceAlgorithm::recursive_doubling : AllReduceAlgorithm::ring;
  // Other numbers of ranks would need a step before and after; a tree needs neither.
  const bool needs_power_of_two =
      algorithm == AllReduceAlgorithm::recursive_doubling || algorithm == AllReduceAlgorithm::recursive_halving;
  return needs_power_of_two && !std::has_single_bit(ranks) ? AllReduceAlgorithm::tree : algorithm;
}

}  // namespace

CollectiveOptions options_of(machine::CollectiveAlgorithm algorithm) {
  CollectiveOptions options;
  options.as_mpi = algorithm == machine::CollectiveAlgorithm::mpi;
  return options;
}

void append_collective(MessagePattern& pattern, Collective collective, std::uint32_t place, std::uint32_t ranks,
                       std::uint32_t root, std::int64_t bytes, const CollectiveOptions& options) {
  if (ranks < 2) return;
  // MPI's choices are another table.
  if (options.as_mpi) return append_mpi_collective(pattern, collective, place, ranks, root, bytes);
  // Rounded up: a message of a part of a byte is one of a byte.
  const std::int64_t share = bytes / ranks + (bytes % ranks != 0 ? 1 : 0);
  switch (collective) {
    case Collective::all_reduce:
      switch (choose(ranks, bytes, options)) {
        case AllReduceAlgorithm::automatic:
        case AllReduceAlgorithm::ring: return append_ring(pattern, place, ranks, 2 * (ranks - 1), share);
        case AllReduceAlgorithm::recursive_doubling: return append_recursive_doubling(pattern, place, ranks, bytes);
        case AllReduceAlgorithm::recursive_halving: return append_recursive_halving(pattern, place, ranks, bytes);
        case AllReduceAlgorithm::tree: {
          append_binomial_reduce(pattern, place, ranks, 0, bytes);
          const auto reduced = static_cast<MessagePattern::StepId>(pattern.steps().size());
          append_binomial_broadcast(pattern, place, ranks, 0, bytes);
          // The broadcast waits for the reduction, rank by rank.
          return pattern.sequence(reduced);
        }
      }
      return;
    case Collective::reduce: return append_binomial_reduce(pattern, place, ranks, root, bytes);
    case Collective::broadcast: return append_binomial_broadcast(pattern, place, ranks, root, bytes);
    case Collective::all_gather:
    case Collective::reduce_scatter: return append_ring(pattern, place, ranks, ranks - 1, share);
    case Collective::gather: return append_linear_gather(pattern, place, ranks, root, share);
    case Collective::scatter: return append_linear_scatter(pattern, place, ranks, root, share);
    case Collective::all_to_all: return append_linear_all_to_all(pattern, place, ranks, share);
    // A message of one byte: nothing but its coming matters.
    case Collective::barrier: return append_dissemination(pattern, place, ranks, 1);
  }
}

void append_unequal_collective(MessagePattern& pattern, Collective collective, std::uint32_t place, std::uint32_t ranks,
                               std::uint32_t root, std::span<const std::int64_t> parts) {
  // What one member sends another; the others send nothing.
  const auto bytes = [&](std::uint32_t from, std::uint32_t to) -> std::int64_t {
    switch (collective) {
      case Collective::gather: return to == root ? parts[from] : -1;
      case Collective::scatter: return from == root ? parts[to] : -1;
      case Collective::all_gather: return parts[from];
      case Collective::reduce_scatter: return parts[to];
      default: return parts[std::size_t{from} * ranks + to];
    }
  };
  // Linear: everybody sends its parts one after the other, beginning with its neighbour.
  for (std::uint32_t step = 1; step < ranks; ++step) {  // the next one first
    const std::uint32_t to = (place + step) % ranks, from = (place + ranks - step) % ranks;
    if (bytes(place, to) >= 0) pattern.send(to, bytes(place, to));
    if (bytes(from, place) >= 0) pattern.recv(from, bytes(from, place));
  }
}

namespace {

using workload::ActivityKind;
using workload::Collective;
using workload::Dependency;
using workload::MessagePattern;
using workload::Program;

// A tag per operation: messages of two collectives under way between the same ranks must not be mistaken.
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
  // In the world, and in any group that begins like it, the place is the rank.
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
    // What waits for no step of its own waits for the entry.
    if (step.after_count == 0) depend(enter, node, Dependency::data);
    for (const MessagePattern::StepId on : pattern_.after(step)) depend(enter + 1 + on, node, Dependency::data);
  }
  // What comes before and after a collective waits for all of it, so that it is enclosed by two that take no time.
  const graph::NodeId leave = add(ActivityKind::compute, activity, cpu);
  for (graph::NodeId node = enter; node < leave; ++node) depend(node, leave, Dependency::data);
  result_.enters.push_back(first_new_ + enter);
  result_.leaves.push_back(first_new_ + leave);
}

void Expander::add_plain(const Program& program, std::size_t activity) {
  const ActivityKind kind = program.kinds[activity];
  const bool is_message = kind == ActivityKind::send || kind == ActivityKind::recv;
  const graph::NodeId node =
      // Messages take what the network takes.
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
    // The start of a collective is that of the first of its two ends.
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

// Replaces the collectives of a workload by messages.
#include "simulate/loggops/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "graph/builder.h"

namespace orrery::simulate::loggops {
namespace {

using workload::ActivityKind;
using workload::Collective;
using workload::Dependency;
using workload::MessagePattern;
using workload::Program;

constexpr std::int64_t kFirstTag = std::int64_t{1} << 40;  // beyond the tags of point-to-point messages

/// One collective as its first rank saw it.
struct Instance {
  std::int64_t tag;
  std::uint32_t rank, activity;
  std::uint32_t root;
};

/// A communicator and what has been run in it.
struct Group {
  std::vector<std::uint32_t> ranks;
  std::vector<Instance> instances;
  std::vector<std::uint32_t> taken_by_place;                    // how many instances each member has taken part in
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;  // rank and place, by rank

  void index() {
    taken_by_place.assign(ranks.size(), 0);
    for (std::uint32_t place = 0; place < ranks.size(); ++place) places.emplace_back(ranks[place], place);
    std::sort(places.begin(), places.end());
  }
  /// ranks.size() if it is no member.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t rank) const {
    const auto found = std::lower_bound(places.begin(), places.end(), std::pair{rank, 0u});
    return found == places.end() || found->first != rank ? static_cast<std::uint32_t>(ranks.size()) : found->second;
  }
};

/// What a collective is on one rank: all that is needed to write its messages.
struct Part {
  const Group* group = nullptr;
  std::uint32_t place = 0, root = 0;
  std::int64_t tag = 0;
};

class Expander {
 public:
  Expander(const workload::Workload& workload, const CollectiveOptions& options, const CpuOf& cpu_of, const DurationOf& duration_of)
      : workload_(workload), options_(options), cpu_of_(cpu_of), duration_of_(duration_of) {}

  Result<Expansion> expand();

 private:
  Result<Group*> group_of(std::uint32_t rank, std::size_t activity);
  Result<Part> take_part(std::uint32_t rank, std::size_t activity);
  Status check_complete() const;
  Status expand_rank(std::uint32_t rank);

  graph::NodeId add(ActivityKind kind, std::size_t origin, std::uint8_t cpu, TimePs duration = 0);
  void set_message(std::uint32_t peer, std::int64_t bytes, std::int64_t tag, std::uint8_t nic);
  void add_collective(const Program& program, std::size_t activity, const Part& part);
  void add_plain(const Program& program, std::size_t activity);
  void depend(graph::NodeId on, graph::NodeId waiting, Dependency type) {
    graph_.add_edge(on, waiting, static_cast<std::uint8_t>(type), 0);
  }

  const workload::Workload& workload_;
  const CollectiveOptions& options_;
  const CpuOf& cpu_of_;
  const DurationOf& duration_of_;
  std::map<StringId, Group> groups_;
  std::int64_t next_tag_ = kFirstTag;
  MessagePattern pattern_;
  Expansion result_;
  // Of the rank at hand.
  Program program_;
  graph::GraphBuilder graph_;
  OpIndex first_original_ = 0, first_new_ = 0;
};

Result<Group*> Expander::group_of(std::uint32_t rank, std::size_t activity) {
  const StringId name = workload_.program(rank).group_names[activity];
  const auto [it, fresh] = groups_.try_emplace(name);
  Group& group = it->second;
  if (fresh) {
    if (name == 0) {
      for (std::uint32_t r = 0; r < workload_.rank_count(); ++r) group.ranks.push_back(r);
    } else if (const workload::CommGroup* found = workload_.find_group(name); found != nullptr) {
      group.ranks = found->ranks;
    } else {
      return Error{fmt::format("{}: there is no group '{}'", workload_.describe(rank, activity), workload_.strings.text(name))};
    }
    group.index();
  }
  return &group;
}

Result<Part> Expander::take_part(std::uint32_t rank, std::size_t activity) {
  const Result<Group*> found = group_of(rank, activity);
  if (!found) return found.error();
  Group& group = **found;
  const Program& program = workload_.program(rank);
  Part part{.group = &group, .place = group.place_of(rank)};
  if (part.place == group.ranks.size()) return Error{fmt::format("{}: the rank is not in its group", workload_.describe(rank, activity))};
  if (program.has(activity, workload::activity::kHasPeer)) {
    part.root = group.place_of(static_cast<std::uint32_t>(program.peers[activity]));
    if (part.root == group.ranks.size())
      return Error{fmt::format("{}: its root {} is not in its group", workload_.describe(rank, activity), program.peers[activity])};
  }
  const std::uint32_t number = group.taken_by_place[part.place]++;
  if (number == group.instances.size()) {
    group.instances.push_back({next_tag_++, rank, static_cast<std::uint32_t>(activity), part.root});
  }
  const Instance& instance = group.instances[number];
  const Program& other = workload_.program(instance.rank);
  const bool same = other.collectives[instance.activity] == program.collectives[activity] &&
                    other.bytes[instance.activity] == program.bytes[activity] && instance.root == part.root;
  if (!same) {
    return Error{fmt::format("collective {} of a group is {} of {} bytes, but {} of {} bytes", number,
                             workload_.describe(instance.rank, instance.activity), other.bytes[instance.activity],
                             workload_.describe(rank, activity), program.bytes[activity])};
  }
  part.tag = instance.tag;
  return part;
}

Status Expander::check_complete() const {
  for (const auto& [name, group] : groups_) {
    for (std::size_t place = 0; place < group.ranks.size(); ++place) {
      const std::uint32_t taken = group.taken_by_place[place];
      if (taken == group.instances.size()) continue;
      const Instance& missed = group.instances[taken];
      return Error{fmt::format("rank {} does not take part in {}", group.ranks[place], workload_.describe(missed.rank, missed.activity))};
    }
  }
  return {};
}

graph::NodeId Expander::add(ActivityKind kind, std::size_t origin, std::uint8_t cpu, TimePs duration) {
  const std::size_t i = program_.size();
  program_.ids.push_back(i);
  program_.names.push_back(0);
  program_.kinds.push_back(kind);
  program_.flags.push_back(0);
  program_.durations_ps.push_back(duration);
  program_.bytes.push_back(0);
  program_.cpus.set(i, cpu);
  result_.origin.push_back(first_original_ + static_cast<OpIndex>(origin));
  return graph_.add_node();
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
  const auto ranks = static_cast<std::uint32_t>(part.group->ranks.size());
  pattern_.clear();
  append_collective(pattern_, program.collectives[activity], part.place, ranks, part.root,
                    workload::whole_bytes(program.collectives[activity], program.bytes[activity], ranks), options_);
  const graph::NodeId enter = add(ActivityKind::compute, activity, cpu);
  for (const MessagePattern::Step& step : pattern_.steps()) {
    const graph::NodeId node = add(step.is_send ? ActivityKind::send : ActivityKind::recv, activity, cpu);
    set_message(part.group->ranks[step.peer], step.bytes, part.tag, program.nics[activity]);
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
  const graph::NodeId node = add(kind, activity, cpu_of_(program, activity), is_message ? 0 : duration_of_(program, activity));
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
  graph_ = graph::GraphBuilder();
  first_original_ = static_cast<OpIndex>(result_.enters.size());
  first_new_ = static_cast<OpIndex>(result_.origin.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] != ActivityKind::collective) {
      add_plain(program, i);
      continue;
    }
    const Result<Part> part = take_part(rank, i);
    if (!part) return part.error();
    add_collective(program, i, *part);
  }
  if (result_.origin.size() >= kNoOp) return Error{"the messages of the collectives are too many"};
  for (graph::EdgeId edge = 0; edge < program.dependencies.edge_count(); ++edge) {
    const graph::Slot slot = program.dependencies.slot_of_edge(edge);
    const auto type = static_cast<Dependency>(program.dependencies.type(slot));
    const OpIndex source = first_original_ + program.dependencies.source(slot),
                  target = first_original_ + program.dependencies.target(slot);
    const OpIndex on = type == Dependency::start ? result_.enters[source] : result_.leaves[source];
    depend(on - first_new_, result_.enters[target] - first_new_, type);
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
  if (const Status complete = check_complete(); !complete) return complete.error();
  return std::move(result_);
}

}  // namespace

Result<Expansion> replace_collectives(const workload::Workload& workload, const CollectiveOptions& options, const CpuOf& cpu_of,
                                      const DurationOf& duration_of) {
  return Expander(workload, options, cpu_of, duration_of).expand();
}

}  // namespace orrery::simulate::loggops

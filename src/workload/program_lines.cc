#include "workload/program_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <vector>

// Collectives of a communicator and messages of a channel are matched by their places in a line, so that the order of a
// program has to be one that all tools agree on: topological, and among what is free the lowest id first.

namespace orrery::workload {

Column<graph::NodeId> program_order(const graph::Graph& dependencies) {
  const graph::NodeId n = dependencies.node_count();
  Column<graph::NodeId> order;
  order.reserve(n);
  // Then positions are ids, and the order of ids is topological.
  if (!dependencies.renumbered()) {  // every dependency has a smaller id
    for (graph::NodeId i = 0; i < n; ++i) order.push_back(i);
    return order;
  }
  // Kahn's algorithm with a heap, so that of all topological orders it is the one with the least ids first.
  std::priority_queue<graph::NodeId, std::vector<graph::NodeId>, std::greater<>> next;
  Column<std::uint32_t> waiting(n, 0);
  for (graph::NodeId i = 0; i < n; ++i) {
    waiting[i] = dependencies.incoming(i).size();
    if (waiting[i] == 0) next.push(i);
  }
  while (!next.empty()) {
    const graph::NodeId i = next.top();
    next.pop();
    order.push_back(i);
    for (const graph::OutgoingEdge& edge : dependencies.outgoing(i)) {
      const graph::NodeId target = dependencies.node_at(edge.target_position);
      if (--waiting[target] == 0) next.push(target);
    }
  }
  return order;
}

namespace {

// "Two places back" and "three places on" are the same in a group of five: one spelling, so that lines do not split.
std::int64_t same_offset(const Workload& workload, StringId role_name, std::int64_t offset) {
  const Role* const role = workload.find_role(role_name);
  if (role == nullptr) return offset;
  const std::int64_t size = role->size();
  // Twice modulo, because the remainder of a negative number is negative.
  return (offset % size + size) % size;
}

ChannelKey key_of(const Workload& workload, const Program& program, std::uint32_t i) {
  const StringId role = program.peer_roles[i];
  const std::int64_t peer = program.peers[i];
  return {.is_send = program.kinds[i] == ActivityKind::send,
          .role = role,
          .peer = role == 0 ? peer : same_offset(workload, role, peer),
          .tag = program.tags[i]};
}

bool is_message(const Program& program, std::uint32_t i) {
  return program.kinds[i] == ActivityKind::send || program.kinds[i] == ActivityKind::recv;
}

template <typename T, typename Key, typename KeyOf>
std::uint32_t find_sorted(const std::vector<T>& lines, const Key& key, const KeyOf& key_of) {
  const auto at = std::lower_bound(lines.begin(), lines.end(), key,
                                   [&](const T& line, const Key& wanted) { return key_of(line) < wanted; });
  return at == lines.end() || key_of(*at) != key ? kNoLine : static_cast<std::uint32_t>(at - lines.begin());
}

ProgramStructure collect_structure(const Workload& workload, const Program& program) {
  ProgramStructure structure;
  // Sets, so that lines are sorted and can be found by halving.
  std::set<ChannelKey> channels;
  std::set<StringId> groups;
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] == ActivityKind::collective) groups.insert(program.group_names[i]);
    else if (is_message(program, i)) channels.insert(key_of(workload, program, i));
  }
  structure.group_names.assign(groups.begin(), groups.end());
  structure.channels.assign(channels.begin(), channels.end());
  return structure;
}

Error not_declared(const Workload& workload, const Program& program, std::uint32_t i) {
  if (program.kinds[i] == ActivityKind::collective) {
    return {.message = fmt::format("node {} is in group \"{}\", which its program did not announce", program.ids[i],
                                   workload.strings.text(program.group_names[i]))};
  }
  return {.message =
              fmt::format("node {} exchanges a message with peer {} under tag {}, which its program did not announce",
                          program.ids[i], program.peers[i], program.tags[i])};
}

}  // namespace

Result<ProgramLines> lines_of(const Workload& workload, const Program& program, const ProgramStructure& structure) {
  ProgramLines lines;
  for (const StringId group : structure.group_names) lines.streams.push_back({group, {}});
  for (const ChannelKey& key : structure.channels) lines.channels.push_back({key, {}});
  lines.places.resize(program.size());
  for (const std::uint32_t i : program_order(program.dependencies)) {
    const bool message = is_message(program, i);
    if (!message && program.kinds[i] != ActivityKind::collective) continue;
    LinePlace& place = lines.places[i];
    place.line =
        message ? structure.find_channel(key_of(workload, program, i)) : structure.find_stream(program.group_names[i]);
    if (place.line == kNoLine) return not_declared(workload, program, i);
    std::vector<std::uint32_t>& line =
        message ? lines.channels[place.line].activities : lines.streams[place.line].activities;
    place.place = static_cast<std::uint32_t>(line.size());
    line.push_back(i);
    // The first one without a partner is enough to be told of.
    if (message && !program.has(i, activity::kHasPeer)) lines.nameless = std::min(lines.nameless, i);
    if (program.kinds[i] != ActivityKind::send) continue;
    place.send = static_cast<std::uint32_t>(lines.sends.size());
    lines.sends.push_back(i);
  }
  return lines;
}

ProgramLines lines_of(const Workload& workload, const Program& program) {
  return std::move(*lines_of(workload, program, collect_structure(workload, program)));  // nothing can be missing there
}

ProgramStructure structure_of(const ProgramLines& lines) {
  ProgramStructure structure;
  ProgramLength length{.activities = lines.places.size(), .collectives = {}, .sends = lines.sends.size()};
  for (const Stream& stream : lines.streams) {
    structure.group_names.push_back(stream.group_name);
    length.collectives.push_back(stream.activities.size());
  }
  for (const Channel& channel : lines.channels) structure.channels.push_back(channel.key);
  structure.length = std::move(length);
  return structure;
}

std::uint32_t ProgramStructure::find_stream(StringId group_name) const {
  return find_sorted(group_names, group_name, [](StringId name) { return name; });
}

std::uint32_t ProgramStructure::find_channel(const ChannelKey& key) const {
  return find_sorted(channels, key, [](const ChannelKey& channel) { return channel; });
}

bool ProgramStructure::names_ranks() const {
  return std::any_of(channels.begin(), channels.end(), [](const ChannelKey& key) { return key.role == 0; });
}

bool ProgramStructure::has_wildcards() const {
  return std::any_of(channels.begin(), channels.end(), [](const ChannelKey& key) { return key.is_wildcard(); });
}

std::uint32_t ProgramLines::find_stream(StringId group_name) const {
  return find_sorted(streams, group_name, [](const Stream& stream) { return stream.group_name; });
}

std::uint32_t ProgramLines::find_channel(const ChannelKey& key) const {
  return find_sorted(channels, key, [](const Channel& channel) -> const ChannelKey& { return channel.key; });
}

}  // namespace orrery::workload

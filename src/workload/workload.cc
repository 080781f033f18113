#include "workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace orrery::workload {

std::string_view to_string(ActivityKind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {"none",    "metadata", "memory load", "memory store",
                                                             "compute", "send",     "recv",        "collective"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Collective collective) {
  static constexpr std::array<std::string_view, kCollectives> kNames = {"all_reduce", "reduce",         "all_gather",
                                                                        "gather",     "scatter",        "broadcast",
                                                                        "all_to_all", "reduce_scatter", "barrier"};
  return kNames[static_cast<std::size_t>(collective)];
}

bool is_rooted(Collective collective) {
  return collective == Collective::reduce || collective == Collective::gather || collective == Collective::scatter ||
         collective == Collective::broadcast;
}

bool may_have_unequal_parts(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::gather ||
         collective == Collective::all_to_all;
}

std::int64_t whole_bytes(Collective collective, std::int64_t bytes, std::size_t ranks) {
  if (collective != Collective::all_gather && collective != Collective::gather) return bytes;
  std::int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(bytes, static_cast<std::int64_t>(ranks), &product);
  return overflows ? std::numeric_limits<std::int64_t>::max() : product;
}

std::size_t Program::memory_bytes() const {
  return dependencies.memory_bytes() + ids.memory_bytes() + names.memory_bytes() + kinds.memory_bytes() +
         flags.memory_bytes() + bytes.memory_bytes() + operations.memory_bytes() + peers.memory_bytes() +
         tags.memory_bytes() + collectives.memory_bytes() + group_names.memory_bytes() + priorities.memory_bytes() +
         excluded_dims.memory_bytes() + cpus.memory_bytes() + nics.memory_bytes() + peer_roles.memory_bytes() +
         part_lists.memory_bytes() + starts_ps.memory_bytes() + lanes.memory_bytes();
}

const CommGroup* Workload::find_group(StringId name) const {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const CommGroup& group) { return group.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

const Role* Workload::find_role(StringId name) const {
  const auto found = std::find_if(roles.begin(), roles.end(), [&](const Role& role) { return role.name == name; });
  return found == roles.end() ? nullptr : &*found;
}

std::int64_t Workload::peer_rank(std::uint32_t rank, std::size_t activity) const {
  const Program& program = this->program(rank);
  const StringId role_name = program.peer_roles[activity];
  if (role_name == 0) return program.peers[activity];
  const Role* const role = find_role(role_name);
  return role == nullptr ? kAnyPeer : role->neighbour(rank, program.peers[activity]);
}

std::vector<std::uint64_t> Workload::first_activities() const {
  std::vector<std::uint64_t> first(rank_count() + 1, 0);
  for (std::size_t rank = 0; rank < rank_count(); ++rank) first[rank + 1] = first[rank] + program(rank).size();
  return first;
}

std::string Workload::describe(std::size_t rank, const Program& program, std::size_t activity) const {
  const ActivityKind kind = program.kinds[activity];
  std::string text =
      fmt::format("rank {}, node {} ({}", rank, program.ids[activity],
                  kind == ActivityKind::collective ? to_string(program.collectives[activity]) : to_string(kind));
  if (program.names[activity] != 0) text += fmt::format(" {}", strings.text(program.names[activity]));
  return text + ")";
}

}  // namespace orrery::workload

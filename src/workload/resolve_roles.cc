#include "workload/resolve_roles.h"

#include <map>
#include <span>
#include <string>
#include <utility>

namespace orrery::workload {
namespace {

template <typename T>
Column<T> copy_of(const Column<T>& column) {
  Column<T> copy;
  copy.append(std::span<const T>(column.data(), column.size()));
  return copy;
}

template <typename T, T kDefault>
OptionalColumn<T, kDefault> copy_of(const OptionalColumn<T, kDefault>& column) {
  Column<T> copy;
  copy.append(column.values());
  return OptionalColumn<T, kDefault>(std::move(copy));
}

Program copy_of(const Program& program) {
  Program copy;
  copy.dependencies = program.dependencies;  // shared, not copied; the durations with it
  copy.ids = copy_of(program.ids);
  copy.names = copy_of(program.names);
  copy.kinds = copy_of(program.kinds);
  copy.flags = copy_of(program.flags);
  copy.bytes = copy_of(program.bytes);
  copy.operations = copy_of(program.operations);
  copy.peers = copy_of(program.peers);
  copy.tags = copy_of(program.tags);
  copy.collectives = copy_of(program.collectives);
  copy.group_names = copy_of(program.group_names);
  copy.priorities = copy_of(program.priorities);
  copy.excluded_dims = copy_of(program.excluded_dims);
  copy.cpus = copy_of(program.cpus);
  copy.nics = copy_of(program.nics);
  copy.starts_ps = copy_of(program.starts_ps);
  copy.lanes = copy_of(program.lanes);
  copy.part_lists = copy_of(program.part_lists);
  copy.parts = program.parts;
  return copy;
}

class RoleResolver {
 public:
  explicit RoleResolver(const Workload& workload) : from_(workload) {
    for (StringId id = 1; id < workload.strings.size(); ++id)
      to_.strings.intern(workload.strings.text(id));  // so that ids stay
    to_.groups = workload.groups;
    to_.epoch_us = workload.epoch_us;
  }

  Workload resolve() && {
    // Ranks that shared a program differ now: each names its own peers and groups.
    for (std::uint32_t rank = 0; rank < from_.rank_count(); ++rank) {
      to_.program_of_rank.push_back(rank);
      to_.programs.push_back(copy_of(from_.program(rank)));
      resolve(rank, to_.programs.back());
    }
    return std::move(to_);
  }

 private:
  void resolve(std::uint32_t rank, Program& program) {
    const Program& original = from_.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] != ActivityKind::collective) {
        if (original.peer_roles[i] != 0) program.peers.set(i, static_cast<std::int32_t>(from_.peer_rank(rank, i)));
        continue;
      }
      const Role* const role = from_.find_role(program.group_names[i]);
      if (role == nullptr) continue;
      if (program.has(i, activity::kHasPeer))  // a place: now a rank
        program.peers.set(i,
                          static_cast<std::int32_t>(role->member(rank, static_cast<std::uint32_t>(program.peers[i]))));
      program.group_names.set(i, group_of(*role, rank));
    }
    program.peers.complete(program.size());
    program.group_names.complete(program.size());
  }

  // All ranks need no group.
  StringId group_of(const Role& role, std::uint32_t rank) {
    // One axis over all ranks keeps their order, which is that of the world.
    if (role.size() == from_.rank_count() && role.axes.size() == 1) return 0;
    const auto [name, fresh] = names_.emplace(std::pair(role.name, role.group_of(rank)), 0);
    if (!fresh) return name->second;
    // Groups of other tools are called by numbers, and 0 is their world.
    std::size_t number = to_.groups.size() + 1;
    StringId text = to_.strings.intern(std::to_string(number));
    while (to_.find_group(text) != nullptr) text = to_.strings.intern(std::to_string(++number));
    to_.groups.push_back({text, role.ranks_with(rank)});
    return name->second = text;
  }

  const Workload& from_;
  Workload to_;
  std::map<std::pair<StringId, std::uint32_t>, StringId> names_;
};

}  // namespace

Workload resolve_roles(const Workload& workload) { return RoleResolver(workload).resolve(); }

}  // namespace orrery::workload

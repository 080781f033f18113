#include "simulate/collective_uses.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "workload/program_lines.h"

namespace orrery::simulate {
namespace {

CollectiveUse first_seen(const workload::Program& program, std::size_t i, std::size_t members, TimePs start) {
  CollectiveUse use;
  use.kind = program.collectives[i];
  use.group_name = program.group_names[i];
  use.ranks = static_cast<std::uint32_t>(members);
  use.bytes = workload::whole_bytes(use.kind, program.bytes[i], members);
  use.first_arrival_ps = use.last_arrival_ps = start;
  return use;
}

}  // namespace

Column<CollectiveUse> collective_uses(const workload::Workload& workload, const Schedule& schedule) {
  std::unordered_map<StringId, std::size_t> place_of_group{{0, 0}};
  for (std::size_t g = 0; g < workload.groups.size(); ++g) place_of_group.emplace(workload.groups[g].name, g + 1);
  std::vector<std::vector<CollectiveUse>> uses(workload.groups.size() + 1);
  std::vector<workload::ProgramLines> lines;  // which is the how manieth of its group
  for (const workload::Program& program : workload.programs) lines.push_back(lines_of(workload, program));
  std::size_t activity = 0;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i, ++activity) {
      if (program.kinds[i] != workload::ActivityKind::collective) continue;
      const auto group = place_of_group.find(program.group_names[i]);
      if (group == place_of_group.end()) continue;
      const std::size_t members =
          group->second == 0 ? workload.rank_count() : workload.groups[group->second - 1].ranks.size();
      std::vector<CollectiveUse>& list = uses[group->second];
      const std::size_t number = lines[workload.program_of_rank[rank]].places[i].place;
      const TimePs start = schedule.start_ps[activity];
      if (number >= list.size()) list.resize(number + 1);
      CollectiveUse& use = list[number];
      if (use.ranks == 0) use = first_seen(program, i, members, start);  // the first rank that has it says what it is
      if (use.kind != program.collectives[i]) continue;
      use.first_arrival_ps = std::min(use.first_arrival_ps, start);
      use.last_arrival_ps = std::max(use.last_arrival_ps, start);
      use.end_ps = std::max(use.end_ps, schedule.end_ps[activity]);
    }
  }
  Column<CollectiveUse> all;
  for (const std::vector<CollectiveUse>& list : uses) all.append(std::span<const CollectiveUse>(list));
  return all;
}

}  // namespace orrery::simulate

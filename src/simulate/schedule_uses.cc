#include "simulate/schedule_uses.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "workload/delays.h"
#include "workload/program_lines.h"

// A sweep per rank over the begins and ends of its activities gives the time in which something computes, something
// communicates, or only the latter. Collectives are put together from their members by their number on the
// communicator.

namespace orrery::simulate {
namespace {

/// An activity begins or ends: by how much the number of computing or communicating ones changes.
struct Change {
  TimePs time;
  std::int32_t computing;
  std::int32_t communicating;
};

RankUse use_of(std::vector<Change>& changes, TimePs finish) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  RankUse use;
  use.finish_ps = finish;
  TimePs since = 0;
  std::int32_t computing = 0, communicating = 0;
  for (const Change& change : changes) {
    const TimePs length = change.time - since;
    if (computing > 0) use.compute_ps += length;
    if (communicating > 0) use.communication_ps += length;
    if (communicating > 0 && computing == 0) use.exposed_ps += length;
    // At one moment the order of changes does not matter: no time passes between them.
    since = change.time;
    computing += change.computing;
    communicating += change.communicating;
  }
  return use;
}

/// Which activities of a program compute.
class Computing {
 public:
  Computing(const workload::Workload& workload, const workload::Program& program, bool host_computes)
      : program_(program), is_delay_(workload::find_delays(program, workload.strings)), by_host_(host_computes) {
    // Where nothing computes on a device, the host's work is the computing.
    for (std::size_t i = 0; i < program.size() && by_host_; ++i) by_host_ = !is_device_compute(i);
  }

  [[nodiscard]] bool computes(std::size_t i) const {
    if (!by_host_) return is_device_compute(i);
    return program_.kinds[i] == workload::ActivityKind::compute && is_delay_[i] == 0;
  }

 private:
  [[nodiscard]] bool is_device_compute(std::size_t i) const {
    return program_.kinds[i] == workload::ActivityKind::compute && is_delay_[i] == 0 &&
           !program_.has(i, workload::activity::kOnHost);
  }

  const workload::Program& program_;
  Column<std::uint8_t> is_delay_;
  bool by_host_;
};

}  // namespace

Column<RankUse> rank_uses(const workload::Workload& workload, const Schedule& schedule, bool host_computes) {
  using workload::ActivityKind;
  Column<RankUse> uses;
  std::vector<Change> changes;
  std::size_t number = 0;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    const Computing computing(workload, program, host_computes);
    changes.clear();
    TimePs finish = 0;
    for (std::size_t i = 0; i < program.size(); ++i, ++number) {
      const ActivityKind kind = program.kinds[i];
      const std::int32_t computes = computing.computes(i) ? 1 : 0;
      const std::int32_t communicates =
          kind == ActivityKind::send || kind == ActivityKind::recv || kind == ActivityKind::collective ? 1 : 0;
      finish = std::max(finish, schedule.end_ps[number]);
      if (computes + communicates == 0) continue;
      changes.push_back({schedule.start_ps[number], computes, communicates});
      changes.push_back({schedule.end_ps[number], -computes, -communicates});
    }
    uses.push_back(use_of(changes, finish));
  }
  return uses;
}

void CollectiveUses::add(const Group& group, std::size_t place, const workload::Program& program, std::size_t activity,
                         TimePs start, TimePs end) {
  std::vector<CollectiveUse>& uses = of_group_[group.number];
  if (place >= uses.size()) uses.resize(place + 1);
  CollectiveUse& use = uses[place];
  if (use.ranks == 0) {
    use.kind = program.collectives[activity];
    use.group_name = group.name;
    use.ranks = static_cast<std::uint32_t>(group.ranks);
    use.bytes = workload::whole_bytes(use.kind, program.bytes[activity], group.ranks);
    use.first_arrival_ps = use.last_arrival_ps = start;
  }
  if (use.kind != program.collectives[activity]) return;
  use.first_arrival_ps = std::min(use.first_arrival_ps, start);
  use.last_arrival_ps = std::max(use.last_arrival_ps, start);
  use.end_ps = std::max(use.end_ps, end);
}

Column<CollectiveUse> CollectiveUses::all() const {
  Column<CollectiveUse> all;
  for (const std::vector<CollectiveUse>& uses : of_group_) all.append(std::span<const CollectiveUse>(uses));
  return all;
}

Column<CollectiveUse> collective_uses(const workload::Workload& workload, const Schedule& schedule) {
  std::unordered_map<StringId, std::size_t> place_of_group{{0, 0}};
  for (std::size_t g = 0; g < workload.groups.size(); ++g) place_of_group.emplace(workload.groups[g].name, g + 1);
  CollectiveUses uses(workload.groups.size() + 1);
  std::vector<workload::ProgramLines> lines;  // by activity: its number within its group
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
      uses.add({group->second, program.group_names[i], members}, lines[workload.program_of_rank[rank]].places[i].place,
               program, i, schedule.start_ps[activity], schedule.end_ps[activity]);
    }
  }
  return uses.all();
}

}  // namespace orrery::simulate

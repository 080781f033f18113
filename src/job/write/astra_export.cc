#include "job/write/astra_export.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/numbers.h"

namespace orrery::job {
namespace {

using workload::ActivityKind;
using workload::Collective;
using workload::Program;

constexpr DiagnosticKind kNotSimulated{"C315", Severity::note, "collective that ASTRA-sim does not simulate",
                                       "it was written as computation that takes as long as recorded"};

constexpr DiagnosticKind kHostOnDevice{
    "C316", Severity::note, "host activity that was put on the device",
    "ASTRA-sim's statistics abort on nodes of the host; there it shares the device with the kernels, one at a time"};

bool is_simulated(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
    case Collective::all_gather:
    case Collective::all_to_all:
    case Collective::reduce_scatter:
    case Collective::broadcast: return true;
    case Collective::reduce:
    case Collective::gather:
    case Collective::scatter:
    case Collective::barrier: return false;
  }
  return false;
}

bool is_group_number(std::string_view name) { return parse_number<std::int32_t>(name).value_or(0) > 0; }

/// Old names of groups and new ones; the same if all of them are numbers.
std::map<StringId, StringId> number_groups(workload::Workload& workload) {
  std::map<StringId, StringId> names;
  const bool are_numbers =
      std::all_of(workload.groups.begin(), workload.groups.end(),
                  [&](const workload::CommGroup& group) { return is_group_number(workload.strings.text(group.name)); });
  for (std::size_t i = 0; i < workload.groups.size(); ++i) {
    workload::CommGroup& group = workload.groups[i];
    const StringId name = are_numbers ? group.name : workload.strings.intern(std::to_string(i + 1));
    names[group.name] = name;
    group.name = name;
  }
  return names;
}

void become_computation(Program& program, std::size_t i) {
  program.kinds[i] = ActivityKind::compute;
  program.flags[i] = 0;
}

void adapt(workload::Workload& workload, Program& program, const std::map<StringId, StringId>& names,
           Diagnostics& diagnostics) {
  program.group_names.update([&](StringId name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  });
  bool has_device_work = false;
  for (std::size_t i = 0; i < program.size() && !has_device_work; ++i)
    has_device_work = program.kinds[i] == ActivityKind::compute && !program.has(i, workload::activity::kOnHost);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const ActivityKind kind = program.kinds[i];
    if (kind == ActivityKind::metadata) program.kinds[i] = ActivityKind::none;
    if (kind == ActivityKind::memory_load || kind == ActivityKind::memory_store) become_computation(program, i);
    if (kind == ActivityKind::compute && has_device_work && program.has(i, workload::activity::kOnHost))
      diagnostics.add(kHostOnDevice);
    program.flags[i] = static_cast<std::uint8_t>(program.flags[i] & ~workload::activity::kOnHost);
    if (kind != ActivityKind::collective) continue;
    const workload::CommGroup* const group =
        program.group_names[i] == 0 ? nullptr : workload.find_group(program.group_names[i]);
    const std::size_t members =
        group == nullptr ? std::max(workload.rank_count(), workload.recorded_ranks) : group->ranks.size();
    if (is_simulated(program.collectives[i]) && members > 1) continue;
    diagnostics.add(kNotSimulated, [&] { return std::string(to_string(program.collectives[i])); });
    become_computation(program, i);
  }
}

}  // namespace

workload::Workload workload_for_astra(workload::Workload workload, Diagnostics& diagnostics) {
  const std::map<StringId, StringId> names = number_groups(workload);
  for (Program& program : workload.programs) adapt(workload, program, names, diagnostics);
  return workload;
}

}  // namespace orrery::job

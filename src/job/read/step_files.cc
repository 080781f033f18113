#include "job/read/step_files.h"

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "machine/astra_export.h"
#include "workload/program_builder.h"
#include "workload/resolve_roles.h"

namespace orrery::job {
namespace {

/// ASTRA-sim wants a file of every device of its network, with something in it.
Status add_idle_ranks(workload::Workload& workload, std::size_t devices) {
  if (workload.rank_count() >= devices) return {};
  workload::ProgramBuilder builder;
  builder.add({.name = workload.strings.intern("idle"), .kind = workload::ActivityKind::compute});
  auto idle = std::move(builder).build();
  if (!idle) return idle.error();
  workload.programs.push_back(std::move(*idle));
  workload.program_of_rank.resize(devices, static_cast<std::uint32_t>(workload.programs.size() - 1));
  return {};
}

}  // namespace

Result<GeneratedFiles> write_step_files(const workload::Workload& workload, const machine::Machine& machine,
                                        const std::string& folder) {
  const auto files = machine::to_astra(machine);
  if (!files) return files.error();
  workload::Workload resolved = workload::resolve_roles(workload);
  if (Status added = add_idle_ranks(resolved, static_cast<std::size_t>(machine.devices.count)); !added)
    return added.error();
  OutputSet together;
  auto written = write_generated(resolved, folder, "step");
  if (!written) return written;
  const std::pair<const char*, const std::string&> texts[] = {
      {"network.yml", files->network_yaml}, {"system.json", files->system_json}, {"memory.json", files->memory_json}};
  for (const auto& [name, text] : texts) {
    if (Status one = write_whole_file(folder + "/" + name, text); !one) return one.error();
  }
  if (Status published = together.publish(); !published) return published.error();
  return written;
}

}  // namespace orrery::job

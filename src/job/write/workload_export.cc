#include "job/write/workload_export.h"

#include <filesystem>

#include "base/io/output_file.h"
#include "formats/goal/writer.h"
#include "formats/simgrid_ti/writer.h"
#include "workload/resolve_roles.h"

namespace orrery::job {

Status write_goal(const workload::Workload& workload, const std::string& path,
                  const simulate::loggops::CollectiveOptions& collectives) {
  const auto messages = simulate::loggops::replace_collectives(
      workload, collectives, [](const workload::Program& program, std::size_t i) { return program.cpus[i]; },
      [](const workload::Program& program, std::size_t i) { return program.duration_ps(i); });
  if (!messages) return messages.error();
  const auto text = goal::to_text(messages->workload);
  if (!text) return text.error();
  return write_whole_file(path, *text);
}

Result<GeneratedFiles> export_workload(workload::WorkloadSource& source, std::string_view format,
                                       const std::string& prefix,
                                       const simulate::loggops::CollectiveOptions& collectives) {
  auto collected = workload::collect(source);
  if (!collected) return collected.error();
  const workload::Workload workload = workload::resolve_roles(*collected);  // files list groups and name ranks
  const std::filesystem::path path(prefix);
  if (format == "chakra")
    return write_generated(workload, path.has_parent_path() ? path.parent_path().string() : ".",
                           path.filename().string());
  const Status written = format == "goal" ? write_goal(workload, prefix + ".goal", collectives)
                                          : simgrid_ti::write_workload(workload, prefix);
  if (!written) return written.error();
  return GeneratedFiles{prefix, workload.rank_count(), workload.first_activities().back()};
}

}  // namespace orrery::job

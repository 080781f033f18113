#include "job/write/workload_export.h"

#include <filesystem>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "formats/chakra/writer.h"
#include "formats/goal/writer.h"
#include "formats/simgrid_ti/writer.h"
#include "generate/chakra_families.h"
#include "generate/recipe.h"
#include "workload/resolve_roles.h"

namespace orrery::job {
namespace {

Result<GeneratedFiles> write_programs(const workload::Workload& workload, const std::string& folder,
                                      const std::string& name, const chakra::WriteOptions& options) {
  if (const Status made = OutputSet::make_folder(folder); !made) return made.error();
  const std::string prefix = folder + "/" + name;
  if (const Status written = chakra::write_workload(workload, prefix, options); !written) return written.error();
  return GeneratedFiles{prefix, workload.rank_count(), workload.first_activities().back()};
}

}  // namespace

Result<GeneratedFiles> write_generated(const workload::Workload& workload, const std::string& folder,
                                       const std::string& name) {
  // Without the number of ranks, a job whose last files were lost would be a smaller job.
  auto written =
      write_programs(workload, folder, name, {.metadata = {chakra::world_size_metadata(workload.rank_count())}});
  if (!written || workload.groups.empty()) return written;
  if (const Status groups = write_whole_file(written->prefix + ".groups.json", chakra::groups_json(workload)); !groups)
    return groups.error();
  return written;
}

Result<std::vector<GeneratedFiles>> write_chakra_families(const generate::ChakraFamilyOptions& options,
                                                          const std::string& folder) {
  const auto families = generate::chakra_families(options);
  if (!families) return families.error();
  std::vector<GeneratedFiles> all;
  for (const generate::NamedWorkload& family : *families) {
    // The version and the sample attributes are part of the bytes that Chakra's generator writes.
    const auto written =
        write_programs(family.workload, folder, family.name, {.version = "1.0.0", .sample_attributes = true});
    if (!written) return written.error();
    all.push_back(*written);
  }
  return all;
}

Result<GeneratedFiles> write_recipe(const generate::PipelineStep& step, const std::string& folder) {
  // Asked once, so that a recipe that cannot be followed is refused here and not where it is read.
  const auto source = generate::pipeline_source(step);
  if (!source) return source.error();
  if (const Status made = OutputSet::make_folder(folder); !made) return made.error();
  const std::string path = folder + "/pipeline.json";
  if (const Status written = write_whole_file(path, generate::recipe_of(step)); !written) return written.error();
  GeneratedFiles files{path, (*source)->job().rank_count(), 0};
  for (const std::uint32_t program : (*source)->job().program_of_rank)
    files.nodes += (*source)->structure(program).length->activities;
  return files;
}

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

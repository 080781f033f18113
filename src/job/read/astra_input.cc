#include "job/read/astra_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "formats/astra/config.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"

namespace orrery::job {

std::vector<std::string> AstraInput::files() const {
  std::vector<std::string> files = {network, system};
  if (!memory.empty()) files.push_back(memory);
  return files;
}

Result<machine::AstraSystem> read_astra_system(const AstraInput& input, Diagnostics& diagnostics) {
  machine::AstraSystem system;
  auto dimensions = astra::read_network(input.network);
  if (!dimensions) return dimensions.error();
  system.dimensions = std::move(*dimensions);
  if (const Status read = astra::read_system(input.system, system, diagnostics); !read) return read.error();
  if (input.memory.empty()) return system;
  if (const Status read = astra::read_remote_memory(input.memory, system); !read) return read.error();
  return system;
}

Result<std::map<std::string, workload::Workload>> read_custom_collectives(const machine::AstraSystem& system,
                                                                          const AstraInput& input) {
  std::map<std::string, workload::Workload> programs;
  std::vector<std::string> prefixes(system.custom.begin(), system.custom.end());
  for (const auto& [node, prefix] : system.custom_of_node) prefixes.push_back(prefix);
  for (const std::string& prefix : prefixes) {
    if (prefix.empty() || programs.contains(prefix)) continue;
    std::vector<chakra::RankFile> files = chakra::find_rank_files(prefix);
    if (files.empty())
      files = chakra::find_rank_files((std::filesystem::path(input.system).parent_path() / prefix).string());
    if (files.empty())
      return Error{fmt::format("there is no execution trace {}.0.et", prefix), input.system, Error::kNoOffset,
                   "names are from where you are"};
    if (const Status complete = chakra::check_complete(files, 0); !complete) return complete.error();
    std::vector<std::string> paths;
    paths.reserve(files.size());
    for (const chakra::RankFile& file : files) paths.push_back(file.path);
    Result<workload::Workload> read = chakra::read_workload(paths);
    if (!read) return read.error();
    programs.emplace(prefix, std::move(*read));
  }
  return programs;
}

Result<machine::AstraFiles> read_astra_files(const AstraInput& input) {
  machine::AstraFiles files;
  files.memory_json =
      R"({"memory-type": "NO_MEMORY_EXPANSION"})";  // ASTRA-sim asks for a file also where there is none
  const auto read = [](const std::string& path, std::string& into) -> Status {
    Result<std::string> content = read_whole_file(path, kMaxConfigurationBytes);
    if (!content) return content.error();
    into = std::move(*content);
    return {};
  };
  if (const Status done = read(input.network, files.network_yaml); !done) return done.error();
  if (const Status done = read(input.system, files.system_json); !done) return done.error();
  if (input.memory.empty()) return files;
  if (const Status done = read(input.memory, files.memory_json); !done) return done.error();
  return files;
}

}  // namespace orrery::job

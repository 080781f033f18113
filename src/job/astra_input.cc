#include "job/astra_input.h"

#include <utility>

#include "base/file_content.h"
#include "base/limits.h"
#include "formats/astra/config.h"

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

Result<machine::AstraFiles> read_astra_files(const AstraInput& input) {
  machine::AstraFiles files;
  files.memory_json = R"({"memory-type": "NO_MEMORY_EXPANSION"})";  // ASTRA-sim asks for a file also where there is none
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

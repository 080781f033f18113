#include "job/shipped_folder.h"

#include <filesystem>

namespace orrery::job {

std::string shipped_folder(std::string_view kind) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  for (const char* folder : {"../share/orrery", "../data"}) {
    const fs::path found = program.parent_path() / folder / kind;
    if (fs::is_directory(found, failed)) return found.lexically_normal().string();
  }
  return {};
}

}  // namespace orrery::job

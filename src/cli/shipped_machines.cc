#include "cli/shipped_machines.h"

#include <algorithm>
#include <filesystem>

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_machines() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  for (const char* folder : {"../share/orrery/machines", "../data/machines"}) {
    const fs::path found = program.parent_path() / folder;
    if (fs::is_directory(found, failed)) return found.lexically_normal();
  }
  return {};
}

}  // namespace

std::string machine_path(const std::string& machine) {
  std::error_code ignored;
  if (fs::exists(machine, ignored) || machine.find('/') != std::string::npos) return machine;
  const fs::path shipped = folder_of_machines() / (machine + ".yaml");
  return fs::is_regular_file(shipped, ignored) ? shipped.string() : machine;
}

std::vector<std::string> shipped_machines() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_of_machines(), failed)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace orrery::cli

#include "job/shipped/shipped_machines.h"

#include <algorithm>
#include <filesystem>

#include "job/shipped/shipped_folder.h"
#include "machine/yaml/machine_yaml.h"

namespace orrery::job {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_machines() { return shipped_folder("machines"); }

}  // namespace

std::string machine_path(const std::string& machine) {
  std::error_code ignored;
  if (fs::exists(machine, ignored) || machine.find('/') != std::string::npos) return machine;
  const fs::path shipped = folder_of_machines() / (machine + ".yaml");
  return fs::is_regular_file(shipped, ignored) ? shipped.string() : machine;
}

Result<machine::Machine> read_machine(const std::string& machine) {
  const std::string path = machine_path(machine);
  Result<machine::Machine> read = machine::read_machine(path);
  std::error_code ignored;
  if (read || fs::exists(path, ignored) || path.find('/') != std::string::npos) return read;
  read.error().message = "there is no such file, and no shipped machine of that name";
  for (const std::string& name : shipped_machines())
    read.error().hint += (read.error().hint.empty() ? "shipped: " : ", ") + name;
  return read;
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

}  // namespace orrery::job

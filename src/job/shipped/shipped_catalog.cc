#include "job/shipped/shipped_catalog.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "llm/kernels/relative.h"
#include "machine/device/device_yaml.h"
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

namespace {

namespace fs = std::filesystem;

/// The shared object that this code is part of; empty in a program.
fs::path own_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_library), &info) == 0 || info.dli_fname == nullptr) return {};
  const fs::path file = info.dli_fname;
  std::error_code failed;
  return file.extension() == ".so" ? fs::canonical(file, failed) : fs::path();
}

std::string first_folder(const fs::path& beside, std::initializer_list<const char*> folders, std::string_view kind) {
  for (const char* folder : folders) {
    std::error_code failed;
    const fs::path found = beside.parent_path() / folder / kind;
    if (fs::is_directory(found, failed)) return found.lexically_normal().string();
  }
  return {};
}

}  // namespace

std::string shipped_folder(std::string_view kind) {
  // Within Python the program is Python's. A wheel has the files in the package; lib/python3.11/dist-packages/orrery
  // and build/python/orrery are as deep below what share/ and data/ are beside.
  if (const fs::path library = own_library(); !library.empty())
    return first_folder(library, {"data", "../../../../share/orrery", "../../../data"}, kind);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : first_folder(program, {"../share/orrery", "../data"}, kind);
}

Result<llm::Catalog> read_shipped_catalog() {
  const std::string devices = shipped_folder("devices");
  if (devices.empty())
    return Error{"the descriptions that come with the program are not found",
                 {},
                 Error::kNoOffset,
                 "they are beside it in share/orrery, or in data of the folder it was built in"};
  return llm::read_catalog(std::filesystem::path(devices).parent_path().string());
}

Result<machine::Device> read_device(const llm::Catalog& catalog, const std::string& text) {
  std::error_code ignored;
  if (text.find('/') != std::string::npos || std::filesystem::is_regular_file(text, ignored)) {
    auto device = machine::read_device(text);
    if (device) llm::complete_constants(catalog.devices, *device);
    return device;
  }
  const auto found = llm::device_called(catalog, text);
  if (!found) return found.error();
  return **found;
}

}  // namespace orrery::job

#include "base/team/launcher.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.h"

namespace orrery {
namespace {

constexpr const char* kPluginFile = "liborrery_processes.so";

std::optional<int> environment_number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const auto value = parse_number<int>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::vector<std::string> plugin_places(const char* file, const char* variable) {
  if (const char* const named = std::getenv(variable); named != nullptr && *named != 0) return {named};
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  return {(folder / file).string(),
          (folder / ".." / ORRERY_LIBRARY_FOLDER / "orrery" / file).lexically_normal().string()};
}

}  // namespace

LaunchedAs launched_as() {
  // Who starts the program from within a task of their own job inherits its environment.
  if (const char* const plugin = std::getenv("ORRERY_MPI_PLUGIN");
      plugin != nullptr && std::string_view(plugin) == "none")
    return {};
  const auto of = [](const char* size, std::initializer_list<const char*> processes) {
    LaunchedAs launched;
    launched.processes = environment_number(size).value_or(1);
    for (const char* name : processes) {
      if (const auto process = environment_number(name)) return launched.process = *process, launched;
    }
    launched.processes = 1;  // who is not numbered was not started by the launcher itself
    return launched;
  };
  for (const LaunchedAs& launched : {of("OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_RANK"}), of("PMI_SIZE", {"PMI_RANK"}),
                                     of("SLURM_NTASKS", {"PMIX_RANK"})}) {
    if (launched.processes > 1) return launched;
  }
  return {};
}

bool is_terminal(int fd) { return ::isatty(fd) == 1 && launched_as().processes == 1; }

void* load_plugin(const char* file, const char* variable, const char* symbol, bool for_all_to_see, std::string& why) {
  for (const std::string& place : plugin_places(file, variable)) {
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | (for_all_to_see ? RTLD_GLOBAL : RTLD_LOCAL));
    if (library != nullptr) {
      void* const found = ::dlsym(library, symbol);
      if (found == nullptr) why = place + " is no plugin";
      return found;
    }
    const char* const reason = ::dlerror();
    // Of several places the one where there is a file has the better reason.
    std::error_code none;
    if (why.empty() || std::filesystem::exists(place, none)) why = reason != nullptr ? reason : place;
  }
  return nullptr;
}

Result<const OrreryProcessPlugin*> load_process_plugin(const LaunchedAs& launched) {
  std::string why;
  // For all to see: parts of MPI load parts of their own, which look for it.
  const auto entry = reinterpret_cast<OrreryProcessPluginEntry>(
      load_plugin(kPluginFile, "ORRERY_MPI_PLUGIN", kProcessPluginEntry, true, why));
  const OrreryProcessPlugin* const plugin = entry == nullptr ? nullptr : entry();
  if (plugin != nullptr && plugin->version == kProcessPluginVersion) return plugin;
  if (plugin != nullptr) why = std::string(kPluginFile) + " is no plugin of this version";
  return Error{(launched.processes == 1 ? std::string("MPI cannot be loaded: ")
                                        : "this was started as " + std::to_string(launched.processes) +
                                              " processes, and what lets them share work cannot be loaded: ") +
                   why,
               {},
               Error::kNoOffset,
               "build it where MPI is installed (scripts/setup.sh mpi && make build), name its file in "
               "ORRERY_MPI_PLUGIN, or start orrery "
               "without mpirun",
               Error::Kind::misuse};
}

}  // namespace orrery

#include "job/shipped/shipped_folder.h"

#include <dlfcn.h>

#include <filesystem>
#include <initializer_list>

namespace orrery::job {
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

}  // namespace orrery::job

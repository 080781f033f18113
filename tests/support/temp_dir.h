// A folder of a test's own, removed with everything in it when the test ends.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace orrery::testing {

/// In memory where there is plenty: tests write thousands of small files, and a disk may wait for each that is written
/// again. TMPDIR goes first.
inline std::filesystem::path scratch_place() {
  constexpr std::uintmax_t kPlentyBytes = std::uintmax_t{4} << 30;  // containers often have 64 MB
  const std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(memory, error);
  const bool has_plenty = !error && space.available >= kPlentyBytes && ::access(memory.c_str(), W_OK) == 0;
  return has_plenty && std::getenv("TMPDIR") == nullptr ? memory : std::filesystem::temp_directory_path();
}

class TempDir {
 public:
  explicit TempDir(const std::filesystem::path& place = scratch_place()) {
    std::string pattern = (place / "orrery-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::filesystem::filesystem_error("mkdtemp", std::error_code(errno, std::generic_category()));
    root_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] std::string path(std::string_view name = {}) const {
    return name.empty() ? root_ : root_ + "/" + std::string(name);
  }

  /// Writes a file, with the folders above it, and returns its path.
  std::string write(std::string_view name, std::string_view content = {}) const {
    const std::string file = path(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::string root_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace orrery::testing

#include "base/io/standard_input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace orrery {
namespace {

Error cannot_copy() {
  return {std::string("cannot be copied to a temporary file: ") + std::strerror(errno), "standard input",
          Error::kNoOffset, "the variable TMPDIR names another place"};
}

bool write_all(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(fd, bytes, count);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes += written, count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

bool is_standard_input(std::string_view path) { return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0"; }

Result<std::string> standard_input_file() {
  struct stat info {};
  // "orrery info - < file" needs no copy, unless the shell has read the beginning of it.
  if (::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
    return std::string("/dev/stdin");
  std::error_code none;
  std::string name = (std::filesystem::temp_directory_path(none) / "orrery-stdin-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0) return cannot_copy();
  ::unlink(name.c_str());  // it stays reachable through the descriptor, which is kept open
  std::vector<char> block(1 << 20);
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || !write_all(fd, block.data(), static_cast<std::size_t>(count))) {
      const Error error = cannot_copy();
      ::close(fd);
      return error;
    }
  }
  return "/dev/fd/" + std::to_string(fd);
}

}  // namespace orrery

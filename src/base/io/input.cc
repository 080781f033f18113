#include "base/io/input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/io/shrinking_input.h"

// Small files are read into a buffer, since mapping costs more than reading them; others are mapped over the front of a
// zeroed region. Either way at least kPaddingBytes zeros follow the content, so that scanners may read whole blocks.

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

namespace {

std::size_t page_bytes() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

Error system_error(const std::string& path, const char* what) {
  return Error{std::string(what) + ": " + std::strerror(errno), path};
}

Error not_a_file(mode_t mode, const std::string& path) {
  if (S_ISDIR(mode)) return Error{"is a directory, not a file", path};
  const char* const kind = S_ISFIFO(mode)   ? "is a pipe, not a file"
                           : S_ISSOCK(mode) ? "is a socket, not a file"
                                            : "is a device, not a file";
  return Error{kind, path, Error::kNoOffset, "write what comes out of it to a file and give that"};
}

constexpr std::size_t kReadBytes = 16u << 10;  // files up to this are read

// As much of the file as there is; -1 if it cannot be read.
ssize_t read_all(int fd, char* into, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = ::read(fd, into + got, size - got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return static_cast<ssize_t>(got);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe waits until somebody writes to it.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error(path, "cannot open");
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    const Error error = system_error(path, "cannot read");
    ::close(fd);
    return error;
  }
  // A pipe could not be mapped, and has no size to bound what is read by.
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return not_a_file(info.st_mode, path);
  }
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<std::size_t>(info.st_size);
  if (file.size_ <= kReadBytes && path != "-") {  // standard input has one position for all who open it
    file.data_ = static_cast<char*>(std::calloc(file.size_ + kPaddingBytes, 1));
    if (file.data_ == nullptr) throw std::bad_alloc();
    const ssize_t got = read_all(fd, file.data_, file.size_);
    const std::optional<Error> error = got < 0 ? std::optional(system_error(path, "cannot read")) : std::nullopt;
    ::close(fd);
    if (error) return *error;
    file.size_ = static_cast<std::size_t>(got);
    return file;
  }
  // The file is mapped over the front of an anonymous zero mapping that is a page longer: what follows the last byte
  // reads as zeros.
  file.mapped_bytes_ = (file.size_ + kPaddingBytes + page_bytes() - 1) / page_bytes() * page_bytes();
  void* base = ::mmap(nullptr, file.mapped_bytes_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    const Error error = system_error(path, "cannot map");
    ::close(fd);
    return error;
  }
  file.data_ = static_cast<char*>(base);
  if (file.size_ > 0 && ::mmap(base, file.size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
    const Error error = system_error(path, "cannot map");
    ::close(fd);
    return error;
  }
  ::close(fd);
  if (file.size_ == 0) return file;
  // The descriptor is not needed any more: the mapping keeps the file. What is left is advice, and may fail.
  ::madvise(base, file.size_, MADV_SEQUENTIAL);
  note_mapped_input(file.data_, file.size_, path);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  if (mapped_bytes_ == 0) {
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): of an optional it takes the end of its union for a second one
    std::free(data_);
    return;
  }
  // Before it is unmapped: another thread may map a file to the same place at once.
  if (size_ > 0) forget_mapped_input(data_);
  ::munmap(data_, mapped_bytes_);
}

void MappedFile::populate([[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t end) const {
#ifdef MADV_POPULATE_READ
  if (mapped_bytes_ == 0) return;
  const std::size_t first = begin / page_bytes() * page_bytes();
  if (first < std::min(end, size_)) ::madvise(data_ + first, std::min(end, size_) - first, MADV_POPULATE_READ);
#endif
}

void MappedFile::release(std::size_t begin, std::size_t end) const {
  if (mapped_bytes_ == 0) return;
  // Only pages that lie in the part as a whole: the bytes at its ends belong to neighbours who may not have been read
  // yet.
  const std::size_t first = (begin + page_bytes() - 1) / page_bytes() * page_bytes();
  const std::size_t last = end / page_bytes() * page_bytes();
  if (first < last && last <= size_) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

}  // namespace orrery

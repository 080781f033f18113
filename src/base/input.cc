#include "base/input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace orrery {
namespace {

std::size_t page_bytes() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

Error system_error(const std::string& path, const char* what) { return Error{std::string(what) + ": " + std::strerror(errno), path}; }

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path, "cannot open");
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    const Error error = system_error(path, "cannot read");
    ::close(fd);
    return error;
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    return Error{S_ISDIR(info.st_mode) ? "is a directory, not a file" : "is not a regular file", path};
  }
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<std::size_t>(info.st_size);
  // The file is mapped over the front of an anonymous zero mapping that is a page longer: what follows the last byte reads as zeros.
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
  if (file.size_ > 0) ::madvise(base, file.size_, MADV_SEQUENTIAL);
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
  if (data_ != nullptr) ::munmap(data_, mapped_bytes_);
}

void MappedFile::populate([[maybe_unused]] std::size_t begin, [[maybe_unused]] std::size_t end) const {
#ifdef MADV_POPULATE_READ
  const std::size_t first = begin / page_bytes() * page_bytes();
  if (first < std::min(end, size_)) ::madvise(data_ + first, std::min(end, size_) - first, MADV_POPULATE_READ);
#endif
}

void MappedFile::release(std::size_t begin, std::size_t end) const {
  const std::size_t first = (begin + page_bytes() - 1) / page_bytes() * page_bytes();
  const std::size_t last = end / page_bytes() * page_bytes();
  if (first < last && last <= size_) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

Result<std::string> read_whole_file(const std::string& path, std::size_t limit_bytes) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const Compression compression = detect_compression(file->bytes());
  const Error too_large{"is larger than the " + std::to_string(limit_bytes) + " bytes allowed here", path};
  if (compression == Compression::none) {
    if (file->bytes().size() > limit_bytes) return too_large;
    return std::string(file->bytes());
  }
  auto inflater = make_inflater(compression, file->bytes(), path);
  std::string content;
  for (;;) {
    const std::size_t old = content.size();
    const std::size_t block = old == 0 ? 64 * 1024 : old;
    content.resize(old + block);
    auto got = inflater->read(std::span<char>(content.data() + old, block));
    if (!got) return got.error();
    content.resize(old + *got);
    if (content.size() > limit_bytes) return too_large;
    if (*got < block) return content;
  }
}

}  // namespace orrery

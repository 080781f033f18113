#include "base/sqlite/private_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/io/input.h"
#include "base/io/window_stream.h"

namespace orrery {
namespace {

Error cannot_keep(const std::string& file) {
  return {std::string("cannot be copied to a temporary file: ") + std::strerror(errno), file, Error::kNoOffset,
          "the variable TMPDIR names another place"};
}

bool put_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<PrivateFolder> PrivateFolder::make() {
  std::error_code none;
  std::string name = (std::filesystem::temp_directory_path(none) / "orrery-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return cannot_keep(name);
  PrivateFolder folder;
  folder.guard_ = std::make_unique<RemovedWhenInterrupted>(name);
  folder.path_ = std::move(name);
  return folder;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), guard_(std::move(other.guard_)) {}

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  guard_ = std::move(other.guard_);
  return *this;
}

PrivateFolder::~PrivateFolder() { remove(); }

void PrivateFolder::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Status PrivateFolder::copy(const std::string& from, const std::string& name, std::uint64_t most_bytes,
                           const std::function<void(std::uint64_t)>& on_progress) const {
  const Result<MappedFile> file = MappedFile::open(from);
  if (!file) return file.error();
  const std::string to = path(name);
  const int fd = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return cannot_keep(from);
  std::uint64_t copied = 0;
  const auto keep = [&](const Window& window) -> Result<const char*> {
    const std::string_view bytes(window.begin, static_cast<std::size_t>(window.end - window.begin));
    copied += bytes.size();
    if (copied > most_bytes)
      return Error{"inflates to more than " + std::to_string(most_bytes >> 30) + " GiB", from, Error::kNoOffset,
                   "inflate it and give the plain file"};
    if (!put_all(fd, bytes)) return cannot_keep(from);
    return window.end;
  };
  const Result<StreamOutcome> outcome = stream_windows(*file, keep, on_progress);
  const bool is_closed = ::close(fd) == 0;
  if (!outcome) return outcome.error();
  if (outcome->input_error) return *outcome->input_error;
  if (!is_closed) return cannot_keep(from);
  return {};
}

}  // namespace orrery

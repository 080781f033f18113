#include "base/team/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/content_hash.h"
#include "base/io/file_content.h"
#include "base/packed.h"

// A header that says which sweep it is, then one record per point, each with a checksum, appended as points are done.
// Whatever a run that was ended left half-written at the end is cut off; damage anywhere else is an error, since nobody
// knows what else is wrong.

namespace orrery {
namespace {

constexpr std::string_view kCheckpointMagic = "ORRERYCP";
constexpr std::uint64_t kCheckpointVersion = 1;
// A limit against files that are no checkpoints: a terabyte.
constexpr std::uint64_t kLargestCheckpoint = std::uint64_t{1} << 40;

std::uint64_t checksum(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.xxh3();
}

Error checkpoint_error(std::string message, const std::string& path, std::uint64_t offset, std::string hint) {
  return {std::move(message), path, offset, std::move(hint), Error::Kind::misuse};
}

std::string pack_key(const CheckpointKey& key) {
  PackedWriter writer;
  writer.text(key.version).text(key.command).number(key.points).number(key.inputs.size());
  for (const CheckpointKey::Input& input : key.inputs) writer.text(input.path).number(input.bytes).number(input.xxh3);
  return writer.take();
}

bool unpack_key(std::string_view bytes, CheckpointKey& key) {
  PackedReader reader(bytes);
  key.version = reader.text();
  key.command = reader.text();
  key.points = reader.number();
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    CheckpointKey::Input& input = key.inputs.emplace_back();
    input.path = reader.text();
    input.bytes = reader.number();
    input.xxh3 = reader.number();
  }
  // Bytes that are left over mean damage.
  return reader.ok() && reader.at_end();
}

std::string file_beginning(const CheckpointKey& key) {
  const std::string header = pack_key(key);
  PackedWriter writer;
  writer.number(kCheckpointVersion).text(header).number(checksum(header));
  return std::string(kCheckpointMagic) + writer.take();
}

std::string record_of(std::uint64_t point, std::string_view bytes) {
  PackedWriter writer;
  writer.number(point).text(bytes);
  const std::uint64_t sum = checksum(writer.bytes());
  return writer.number(sum).take();
}

/// Commands may have thousands of factors: what is shown of one is where it begins to differ.
std::string around(const std::string& command, std::size_t place) {
  constexpr std::size_t kBefore = 40, kAfter = 60, kShown = 160;
  if (command.size() <= kShown) return command;
  const std::size_t first = place < kBefore ? 0 : place - kBefore;
  return (first > 0 ? "..." : "") + command.substr(first, kBefore + kAfter) +
         (first + kBefore + kAfter < command.size() ? "..." : "");
}

/// Why points of one are none of the other; empty: they are.
std::string difference(const CheckpointKey& was, const CheckpointKey& is) {
  if (was.version != is.version)
    return fmt::format("it was written by version {}, and this is {}", was.version, is.version);
  // Before the inputs, because another command explains other inputs.
  if (was.command != is.command) {
    const auto place = static_cast<std::size_t>(
        std::mismatch(was.command.begin(), was.command.end(), is.command.begin(), is.command.end()).first -
        was.command.begin());
    return fmt::format("it is of the command `{}`, and this is `{}`", around(was.command, place),
                       around(is.command, place));
  }
  if (was.points != is.points)
    return fmt::format("it is of a sweep of {} points, and this has {}", was.points, is.points);
  if (was.inputs.size() != is.inputs.size())
    return fmt::format("it is of {} input files, and this has {}", was.inputs.size(), is.inputs.size());
  for (std::size_t i = 0; i < was.inputs.size(); ++i) {
    if (was.inputs[i].path != is.inputs[i].path)
      return fmt::format("it is of the input {}, and this has {}", was.inputs[i].path, is.inputs[i].path);
    if (was.inputs[i] != is.inputs[i]) return fmt::format("the input {} has changed since", is.inputs[i].path);
  }
  return {};
}

Error checkpoint_not_written(const std::string& path) {
  return {std::string("the checkpoint cannot be written: ") + std::strerror(errno), path};
}

bool write_bytes(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    // Interrupted writes are tried again.
    else if (errno != EINTR) return false;
  }
  return true;
}

}  // namespace

Result<CheckpointContent> parse_checkpoint(std::string_view bytes, const std::string& name) {
  constexpr std::size_t kNumber = sizeof(std::uint64_t);
  const std::string no_hint = "give another file, or remove this one";
  if (!bytes.starts_with(kCheckpointMagic)) return checkpoint_error("this is no checkpoint", name, 0, no_hint);
  PackedReader head(bytes.substr(kCheckpointMagic.size()));
  const std::uint64_t version = head.number();
  if (head.ok() && version != kCheckpointVersion)
    return checkpoint_error(
        fmt::format("this is a checkpoint of layout {}, and this program writes {}", version, kCheckpointVersion), name,
        kCheckpointMagic.size(), no_hint);
  CheckpointContent content;
  const std::string_view header = head.text();
  const std::uint64_t header_sum = head.number();
  if (!head.ok() || header_sum != checksum(header) || !unpack_key(header, content.key))
    return checkpoint_error("the header of this checkpoint is damaged", name, kCheckpointMagic.size() + kNumber,
                            no_hint);
  content.good_bytes = kCheckpointMagic.size() + 3 * kNumber + header.size();
  while (content.good_bytes < bytes.size()) {
    const std::string_view rest = bytes.substr(content.good_bytes);
    PackedReader record(rest);
    const std::uint64_t point = record.number();
    const std::string_view value = record.text();
    const std::uint64_t sum = record.number();
    if (!record.ok()) break;  // cut: the run ended while it wrote this
    if (sum != checksum(rest.substr(0, 2 * kNumber + value.size())) || point >= content.key.points) {
      // The last one may have reached the disk in part. One with others behind it did not come about that way.
      if (record.at_end()) break;
      return checkpoint_error("a record of this checkpoint is damaged", name, content.good_bytes, no_hint);
    }
    content.points.insert_or_assign(point, std::string(value));
    content.good_bytes += 3 * kNumber + value.size();
  }
  return content;
}

Result<Checkpoint> Checkpoint::open(const std::string& path, const CheckpointKey& key) {
  Checkpoint checkpoint;
  checkpoint.path_ = path;
  checkpoint.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
  if (checkpoint.file_ < 0) return checkpoint_not_written(path);
  // Held until the process ends, however it does.
  if (::flock(checkpoint.file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return checkpoint_error("another run writes this checkpoint", path, Error::kNoOffset,
                            "wait for it, or give another file");
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
    return checkpoint_error("a checkpoint is a file", path, Error::kNoOffset, "give another name");
  const std::string beginning = file_beginning(key);
  const Result<std::string> bytes = read_whole_file(path, kLargestCheckpoint);
  if (!bytes) return bytes.error();
  // A run that ended while it wrote the header of this very sweep has left nothing else.
  if (bytes->size() < beginning.size() && beginning.starts_with(*bytes)) {
    if (::ftruncate(checkpoint.file_, 0) != 0 || !write_bytes(checkpoint.file_, beginning)) {
      const Error error = checkpoint_not_written(path);
      std::filesystem::remove(path, failed);
      return error;
    }
    checkpoint.size_ = beginning.size();
    return checkpoint;
  }
  Result<CheckpointContent> content = parse_checkpoint(*bytes, path);
  if (!content) return content.error();
  if (const std::string other = difference(content->key, key); !other.empty())
    return checkpoint_error("this checkpoint is of something else: " + other, path, Error::kNoOffset,
                            "give another file, or remove this one to begin again");
  // The next record must follow a good one.
  if (content->good_bytes < bytes->size() &&
      ::ftruncate(checkpoint.file_, static_cast<off_t>(content->good_bytes)) != 0)
    return checkpoint_not_written(path);
  checkpoint.size_ = content->good_bytes;
  checkpoint.points_ = std::move(content->points);
  return checkpoint;
}

Checkpoint::Checkpoint(Checkpoint&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      points_(std::move(other.points_)) {}

Checkpoint& Checkpoint::operator=(Checkpoint&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(points_, other.points_);
  return *this;
}

Checkpoint::~Checkpoint() {
  if (file_ >= 0) ::close(file_);
}

Status Checkpoint::append(std::uint64_t point, std::string_view bytes) {
  const std::string record = record_of(point, bytes);
  if (!write_bytes(file_, record)) {
    Error error = checkpoint_not_written(path_);
    // Half a record would be dropped anyway; without it the file is what it was.
    if (::ftruncate(file_, static_cast<off_t>(size_)) != 0)
      error.hint = "its last record is cut, which the next run sees";
    return error;
  }
  size_ += record.size();
  return {};
}

}  // namespace orrery

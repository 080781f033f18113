#include "base/io/output_set.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

// Sets nest: a file that is committed stays aside in the innermost one, and publishing hands it over to the set around
// or, in the outermost, renames all of them. While that goes on old files are kept by hard links, so that a failure
// half-way can be undone.

namespace orrery {

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

namespace {

namespace fs = std::filesystem;

// The innermost set, and the lock of all sets: writers run side by side.
OutputSet* innermost_set = nullptr;
std::mutex sets_mutex;

Error name_taken(const std::string& path) {
  return {"two outputs would be written to this file", path, Error::kNoOffset, "name another file for one of them",
          Error::Kind::misuse};
}

Error cannot_write(const std::string& path) { return {std::string("cannot write: ") + std::strerror(errno), path}; }

/// Old files kept under another name while new ones take their places.
class Replacement {
 public:
  explicit Replacement(bool keeps_old) : keeps_old_(keeps_old) {}

  bool replace(const std::string& aside, const std::string& target) {
    Step step{target, {}};
    const std::string old = aside + ".old";
    // Where the file system has no hard links the old file cannot be brought back; it is still replaced as a whole.
    if (keeps_old_ && ::link(target.c_str(), old.c_str()) == 0) step.old = old;
    if (::rename(aside.c_str(), target.c_str()) != 0) {
      // unlink would replace the reason by its own.
      const int reason = errno;
      if (!step.old.empty()) ::unlink(step.old.c_str());
      errno = reason;
      return false;
    }
    steps_.push_back(std::move(step));
    return true;
  }

  void undo() {
    // Newest first is not needed: no target comes twice.
    for (const Step& step : steps_) {
      if (step.old.empty()) ::unlink(step.target.c_str());
      else ::rename(step.old.c_str(), step.target.c_str());
    }
  }

  void keep() {
    for (const Step& step : steps_) {
      if (!step.old.empty()) ::unlink(step.old.c_str());
    }
  }

 private:
  struct Step {
    std::string target, old;
  };
  bool keeps_old_;
  std::vector<Step> steps_;
};

}  // namespace

OutputSet::OutputSet(Publishing publishing) : publishing_(publishing) {
  const std::lock_guard lock(sets_mutex);
  outer_ = std::exchange(innermost_set, this);
}

OutputSet::~OutputSet() {
  const std::lock_guard lock(sets_mutex);
  innermost_set = outer_;
  // Not published: an error on the way, or a set that another took over, whose lists are empty then.
  for (const Pending& file : files_) ::unlink(file.aside.c_str());
  // Only folders without content go: something else may have been put there meanwhile.
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) ::rmdir(folder->c_str());
}

std::optional<FileIdentity> OutputSet::protect(const std::string& path) {
  const std::optional<FileIdentity> identity = identity_of(path);
  if (!identity) return identity;
  const std::lock_guard lock(sets_mutex);
  protected_.insert(*identity);
  return identity;
}

Status OutputSet::check_target(const std::string& path) {
  const std::optional<FileIdentity> identity = identity_of(path);
  // What does not exist cannot be an input.
  if (!identity) return {};
  const std::lock_guard lock(sets_mutex);
  for (const OutputSet* set = innermost_set; set != nullptr; set = set->outer_) {
    if (set->protected_.contains(*identity))
      return Error{"this output would overwrite an input", path, Error::kNoOffset, "name another file or folder",
                   Error::Kind::misuse};
  }
  return {};
}

Result<bool> OutputSet::take(Pending& file) {
  const std::lock_guard lock(sets_mutex);
  if (innermost_set == nullptr) return false;
  for (const OutputSet* set = innermost_set; set != nullptr; set = set->outer_) {
    if (set->targets_.contains(file.target)) return name_taken(file.target);
  }
  innermost_set->targets_.insert(file.target);
  innermost_set->files_.push_back(std::move(file));
  return true;
}

std::string OutputSet::place_of(const std::string& path) {
  std::error_code none;
  // By its place in the file system: a command may name what it wrote by another path than it wrote it by.
  const std::string target = fs::weakly_canonical(path, none).string();
  const std::lock_guard lock(sets_mutex);
  for (const OutputSet* set = innermost_set; set != nullptr; set = set->outer_) {
    if (!set->targets_.contains(target)) continue;
    for (const Pending& file : set->files_) {
      if (file.target == target) return file.aside;
    }
  }
  return path;
}

Status OutputSet::make_folder(const std::string& path) {
  std::vector<std::string> missing;
  std::error_code failed;
  for (fs::path at = fs::absolute(path, failed).lexically_normal();
       !at.empty() && at != at.root_path() && !fs::exists(at, failed); at = at.parent_path()) {
    if (at.has_filename()) missing.push_back(at.string());  // "run/" and "run" are one folder
  }
  fs::create_directories(path, failed);
  if (failed) return Error{"cannot make this folder: " + failed.message(), path};
  const std::lock_guard lock(sets_mutex);
  if (innermost_set != nullptr)
    innermost_set->folders_.insert(innermost_set->folders_.end(), missing.rbegin(), missing.rend());
  return {};
}

Status OutputSet::publish() {
  // A set inside another hands its files over: they appear with all others of the command, or not at all.
  if (publishing_ == Publishing::at_once || outer_ == nullptr) return rename_all();
  const std::lock_guard lock(sets_mutex);
  for (const std::string& target : targets_) {
    if (outer_->targets_.contains(target)) return name_taken(target);
  }
  outer_->targets_.merge(targets_);
  std::move(files_.begin(), files_.end(), std::back_inserter(outer_->files_));
  std::move(folders_.begin(), folders_.end(), std::back_inserter(outer_->folders_));
  files_.clear();
  folders_.clear();
  return {};
}

Status OutputSet::rename_all() {
  // An input may have become known after its namesake was written.
  for (const Pending& file : files_) {
    if (Status fine = check_target(file.target); !fine) return fine;
  }
  const std::lock_guard lock(sets_mutex);
  // A single rename is whole by itself and needs no way back.
  Replacement replacement(files_.size() > 1);
  for (const Pending& file : files_) {
    if (replacement.replace(file.aside, file.target)) continue;
    const Error error = cannot_write(file.target);
    replacement.undo();
    return error;
  }
  replacement.keep();
  files_.clear();
  targets_.clear();
  folders_.clear();
  return {};
}

}  // namespace orrery

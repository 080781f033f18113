// Files that only this process sees: what has to lie on a disk before a library opens it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/result.h"

namespace orrery {

/// A folder in the place for temporary files, removed with what is in it when this goes, or when the run is
/// interrupted.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Copies `from`, inflated if it is compressed, to `name`. More than `most_bytes` is an Error.
  Status copy(const std::string& from, const std::string& name, std::uint64_t most_bytes,
              const std::function<void(std::uint64_t)>& on_progress = {}) const;

 private:
  PrivateFolder() = default;
  void remove();

  std::string path_;  // empty: moved away
  std::unique_ptr<RemovedWhenInterrupted> guard_;
};

}  // namespace orrery

// The bytes of an XSpace file, and how damage in them is told.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/io/file_content.h"

namespace orrery::xspace {

class Contents : public FileContent {
 public:
  static Result<Contents> open(const std::string& path,
                               const std::function<void(std::uint64_t bytes)>& on_progress = {}) {
    Result<FileContent> content = FileContent::open(path, on_progress);
    if (!content) return content.error();
    return Contents(std::move(*content));
  }

  /// An Error about the field at `position`.
  [[nodiscard]] Error damage(
      const char* position,
      const std::string& message = "this is not a well-formed XSpace: cut short, damaged, or another format") const {
    return {message, path(), offset_of(position), "is it an .xplane.pb file, and was it copied as a whole?"};
  }

 private:
  explicit Contents(FileContent content) : FileContent(std::move(content)) {}
};

}  // namespace orrery::xspace

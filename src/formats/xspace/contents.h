// The bytes of an XSpace file: mapped, or inflated when it is compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/column.h"
#include "base/input.h"
#include "base/result.h"

namespace orrery::xspace {

/// Compression (gzip, zstd) is detected by content. A plain file takes no memory of its own; a compressed one that of its inflated bytes.
class Contents {
 public:
  static Result<Contents> open(const std::string& path, const std::function<void(std::uint64_t bytes)>& on_progress = {});

  [[nodiscard]] std::string_view bytes() const { return mapped_ ? mapped_->bytes() : std::string_view(inflated_.data(), inflated_.size()); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] std::uint64_t offset_of(const char* position) const { return static_cast<std::uint64_t>(position - bytes().data()); }
  /// The system may forget the pages of `part`, which has been read.
  void release(std::string_view part) const;

  /// An Error about the field at `position`.
  [[nodiscard]] Error damage(const char* position, const std::string& message = "this is not a well-formed XSpace message") const;

 private:
  std::string path_;
  std::uint64_t file_bytes_ = 0;
  std::optional<MappedFile> mapped_;
  Column<char> inflated_;
};

}  // namespace orrery::xspace

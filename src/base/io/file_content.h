// The whole content of a file that may be compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/column.h"
#include "base/io/inflate.h"
#include "base/io/input.h"
#include "base/result.h"

namespace orrery {

/// Mapped, which takes no memory of its own, or inflated into memory. Followed by MappedFile::kPaddingBytes zero bytes
/// either way. Moving it leaves the bytes where they are.
class FileContent {
 public:
  /// `on_progress` gets the number of compressed bytes newly taken; a plain file is only mapped, and is the caller's to
  /// count.
  static Result<FileContent> open(const std::string& path, const std::function<void(std::uint64_t)>& on_progress = {});
  /// The same of a file that is mapped already.
  static Result<FileContent> of(MappedFile file, const std::function<void(std::uint64_t)>& on_progress = {});

  [[nodiscard]] std::string_view bytes() const { return mapped_ ? mapped_->bytes() : inflated(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] bool is_compressed() const { return !mapped_; }
  [[nodiscard]] std::uint64_t offset_of(const char* position) const {
    return static_cast<std::uint64_t>(position - bytes().data());
  }
  /// Of a plain file: maps all pages in one go. For one that is read from front to back at once.
  void populate() const;
  /// The system may forget the pages of `part`, which has been read.
  void release(std::string_view part) const;

 private:
  [[nodiscard]] std::string_view inflated() const {
    return {inflated_.data(), inflated_.size() - MappedFile::kPaddingBytes};
  }

  std::string path_;
  std::uint64_t file_bytes_ = 0;
  std::optional<MappedFile> mapped_;
  Column<char> inflated_;
};

/// The whole content in a text of its own; refuses more than `limit_bytes`. For small inputs only.
Result<std::string> read_whole_file(const std::string& path, std::size_t limit_bytes);

/// What a file begins with, inflated: up to `count` bytes, also of a file that is damaged behind them. For telling
/// formats apart.
Result<std::string> read_first_bytes(const std::string& path, std::size_t count);
std::string first_bytes_of(const MappedFile& file, std::size_t count);

}  // namespace orrery

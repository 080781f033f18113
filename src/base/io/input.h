// Files as bytes: memory-mapped, never copied. base/io/file_content.h has the whole content of one that may be
// compressed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery {

// Standard input as a file that can be mapped and read twice.

/// Whether this names the process's standard input: "-" or /dev/stdin.
bool is_standard_input(std::string_view path);

/// A path under which the content of standard input can be opened any number of times until the process ends: the file
/// it was redirected from, else a copy of all that comes, in a temporary file that has no name and is gone with the
/// process. To be called once.
Result<std::string> standard_input_file();

/// A whole file mapped read-only (a small one is read: that takes one call instead of four, and many jobs are thousands
/// of small files) and followed by at least kPaddingBytes zero bytes, so that a scanner may read past the end. A file
/// that gets shorter while it is mapped has pages that cannot be read any more: base/io/shrinking_input.h says what
/// comes of that.
class MappedFile {
 public:
  static constexpr std::size_t kPaddingBytes = 64;

  /// A regular file; what standard input holds becomes one in base/io/input.h. A pipe, socket or device is an
  /// Error: it cannot be mapped, and opening one may wait for ever.
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Maps the pages of [begin, end) in one go instead of one fault at a time. No more than a wish.
  void populate(std::size_t begin, std::size_t end) const;
  /// Lets the system forget the resident pages of [begin, end): they are read again from the file if touched. Bounds
  /// the memory of one pass over a huge file.
  void release(std::size_t begin, std::size_t end) const;

 private:
  MappedFile() = default;

  std::string path_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;  // 0: read, not mapped
};

}  // namespace orrery

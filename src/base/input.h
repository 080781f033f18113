// Files as bytes: memory-mapped, and inflated block by block when compressed. Compression is detected by content, never by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery {

/// A whole file mapped read-only and followed by at least kPaddingBytes zero bytes, so that a scanner may read past the end.
class MappedFile {
 public:
  static constexpr std::size_t kPaddingBytes = 64;

  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Maps the pages of [begin, end) in one go instead of one fault at a time. No more than a wish.
  void populate(std::size_t begin, std::size_t end) const;
  /// Lets the system forget the resident pages of [begin, end): they are read again from the file if touched. Bounds the memory of one
  /// pass over a huge file.
  void release(std::size_t begin, std::size_t end) const;

 private:
  MappedFile() = default;

  std::string path_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;
};

enum class Compression : std::uint8_t { none, gzip, zstd };

Compression detect_compression(std::string_view bytes);

/// Decompresses a byte range from front to back.
class Inflater {
 public:
  virtual ~Inflater() = default;
  /// Fills `out` as far as there is data; fewer bytes than asked for means the end. A damaged or truncated input is an Error that
  /// names the position in the compressed file; bytes inflated before it have been delivered by earlier calls or are in `delivered()`.
  virtual Result<std::size_t> read(std::span<char> out) = 0;
  /// Bytes written by the last read() even when it failed.
  [[nodiscard]] std::size_t delivered() const { return delivered_; }
  /// Compressed bytes taken so far.
  [[nodiscard]] virtual std::size_t consumed() const = 0;

 protected:
  std::size_t delivered_ = 0;
};

/// `compression` must not be none. `bytes` must outlive the inflater. `path` is used in errors.
std::unique_ptr<Inflater> make_inflater(Compression compression, std::string_view bytes, std::string path);

/// The whole content of a file, inflated when compressed; refuses more than `limit_bytes`. For small inputs only.
Result<std::string> read_whole_file(const std::string& path, std::size_t limit_bytes);

}  // namespace orrery

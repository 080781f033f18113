// Compressed bytes, inflated from front to back. Compression is detected by content, never by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery {

enum class Compression : std::uint8_t { none, gzip, zstd };

Compression detect_compression(std::string_view bytes);

class Inflater {
 public:
  virtual ~Inflater() = default;
  /// Fills `out` as far as there is data; fewer bytes than asked for means the end. Damaged or truncated content, or
  /// what inflates out of proportion (base/limits.h), is an Error that names the position in the compressed file; bytes
  /// inflated before it have been delivered by earlier calls or are in `delivered()`.
  Result<std::size_t> read(std::span<char> out);
  /// Bytes written by the last read() even when it failed.
  [[nodiscard]] std::size_t delivered() const { return delivered_; }
  /// Compressed bytes taken so far.
  [[nodiscard]] virtual std::size_t consumed() const = 0;

 protected:
  explicit Inflater(std::string path);
  /// read() without the bound; counts in delivered_.
  virtual Result<std::size_t> inflate(std::span<char> out) = 0;
  [[nodiscard]] Error failure(const char* what) const;

  std::size_t delivered_ = 0;

 private:
  std::string path_;
  std::uint64_t inflated_bytes_ = 0;
};

/// `compression` must not be none. `bytes` must outlive the inflater. `path` is used in errors.
std::unique_ptr<Inflater> make_inflater(Compression compression, std::string_view bytes, std::string path);

}  // namespace orrery

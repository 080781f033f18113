// Compression of whole buffers: one gzip member, the same bytes for the same content.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

// Bytes that wait in memory, for those who are short of room: some 0.5 GB/s in, 1 GB/s out.

class Compressed {
 public:
  Compressed() = default;
  explicit Compressed(std::string_view bytes);

  /// What it was made of.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t memory_bytes() const { return packed_.capacity(); }

 private:
  std::string packed_;
  std::size_t size_ = 0;
};

/// The parts one after the other as one member of gzip, without name or time stamp. Safe to call from several threads.
std::string gzip(std::span<const std::string_view> parts);

}  // namespace orrery

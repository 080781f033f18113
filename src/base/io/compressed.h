// Bytes that wait in memory, for those who are short of room: some 0.5 GB/s in, 1 GB/s out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

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

}  // namespace orrery

// Bytes that grow, and how numbers become bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tracer/layout.h"

namespace orrery::tracer {

/// A vector of bytes with few checks: records are made of many small numbers.
class ByteBuffer {
 public:
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const unsigned char* data() const { return bytes_.data(); }
  unsigned char* data() { return bytes_.data(); }
  void reserve(std::size_t bytes) { make_room(bytes); }
  /// What is added by this is not set.
  void resize(std::size_t bytes) {
    if (bytes > size_) make_room(bytes - size_);
    size_ = bytes;
  }

  void byte(std::uint8_t value) {
    make_room(1);
    bytes_[size_++] = value;
  }
  void number(std::uint64_t value) {
    make_room(10);
    unsigned char* at = bytes_.data() + size_;
    while (value >= 0x80) {
      *at++ = static_cast<unsigned char>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<unsigned char>(value);
    size_ = static_cast<std::size_t>(at - bytes_.data());
  }
  void signed_number(std::int64_t value) { number(zigzag(value)); }
  void raw(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    make_room(bytes);
    std::memcpy(bytes_.data() + size_, data, bytes);
    size_ += bytes;
  }
  void text(std::string_view value) {
    number(value.size());
    raw(value.data(), value.size());
  }
  template <typename T>
  void fixed(T value) {
    raw(&value, sizeof value);  // little endian, as every machine that MPI runs on today
  }

 private:
  void make_room(std::size_t bytes) {
    if (bytes_.size() - size_ < bytes) bytes_.resize(2 * bytes_.size() + bytes);
  }

  std::vector<unsigned char> bytes_;  // as long as there is room
  std::size_t size_ = 0;
};

}  // namespace orrery::tracer

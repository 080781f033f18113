// A few values as bytes, one after the other: what processes send one another and what a checkpoint keeps.
// Little-endian, no padding.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace orrery {

class PackedWriter {
 public:
  PackedWriter& number(std::uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  PackedWriter& integer(std::int64_t value) { return number(std::bit_cast<std::uint64_t>(value)); }
  PackedWriter& real(double value) { return number(std::bit_cast<std::uint64_t>(value)); }
  PackedWriter& text(std::string_view value) {
    number(value.size());
    bytes_ += value;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  static_assert(std::endian::native == std::endian::little);
  std::string bytes_;
};

/// Reads what a PackedWriter wrote. Past the end, and after a text that claims to be longer than what is left,
/// everything is 0 and empty, and ok() is false: check once, at the end. Texts are views of the bytes.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) return fail();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::int64_t integer() { return std::bit_cast<std::int64_t>(number()); }
  double real() { return std::bit_cast<double>(number()); }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) return fail(), std::string_view();
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::uint64_t fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace orrery
